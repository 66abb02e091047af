// Certificates of inbounds with TLS: a supplied one is validated, otherwise the panel creates one for the server name.
import type { FieldError } from '../../contract/errors.ts';
import { DAY_MS } from '../../domain/limits.ts';
import type { Action, Env, Transaction } from '../kernel/context.ts';
import type { InboundRow, ServedCertificate } from '../ports/inbounds.ts';
import type { KeyedCertificate, Store, VaultState } from '../ports/ports.ts';
import { saveSecret } from './inbound-secrets.ts';

export type CertificateEnv = Pick<Env, 'certificateMaker' | 'clock' | 'store' | 'vault'>;

const RENEW_BEFORE_MS = 30 * DAY_MS;

/** States in which a vault can seal, once it has a key. */
const SEALING: readonly VaultState[] = ['unlocked', 'headless', 'absent'];

export interface CertificateInput {
  readonly certificate?: string | null | undefined;
  readonly certificate_key?: string | null | undefined;
}

/** Fields that decide which certificate an inbound needs. */
export type CertificateFacts = Pick<
  InboundRow,
  'nodeId' | 'security' | 'host' | 'sni' | 'certificate' | 'sharesPortOf'
>;

/** Results of the work before a transaction. */
export interface PreparedCertificate {
  readonly made: KeyedCertificate | null;
  readonly errors: readonly FieldError[];
}

/** The server name that apps send; null if the node was deleted. */
function findServerName(store: Store, { nodeId, host, sni }: CertificateFacts): string | null {
  return sni ?? host ?? store.nodes.get(nodeId)?.address ?? null;
}

/** Whether the input contains a certificate other than the current one. */
export function isNewCertificate({ certificate }: CertificateInput, present: ServedCertificate | null): boolean {
  return typeof certificate === 'string' && !(present?.isOwn && present.chain === certificate);
}

/** Whether the panel must create one now. */
function needsOwnWork(env: Pick<Env, 'certificateMaker' | 'store'>, facts: CertificateFacts, now: number): boolean {
  const { security, certificate, sharesPortOf } = facts;
  if (security !== 'tls' || sharesPortOf !== null) return false;
  if (certificate === null) return true;
  if (certificate.isOwn) return false;
  const host = findServerName(env.store, facts);
  const { isFor, startsAt } = env.certificateMaker;
  // A certificate that is not valid yet was created while the clock was ahead.
  const isInForce = startsAt(certificate) <= now && certificate.endsAt - now >= RENEW_BEFORE_MS;
  return !isInForce || (host !== null && !isFor(certificate, host));
}

/**
 * Validates the supplied certificate, or creates one. `wanted`: the inbound after the change, with its current certificate. Rejects with PanelError
 * `vault_unavailable`.
 */
export async function prepareCertificate(
  env: CertificateEnv,
  input: CertificateInput,
  wanted: CertificateFacts,
): Promise<PreparedCertificate> {
  const { certificate, certificate_key: key } = input;
  const now = env.clock.now();
  if (typeof certificate === 'string' && isNewCertificate(input, wanted.certificate)) {
    // Inconsistent input is rejected by the rules later.
    if (wanted.security !== 'tls') return { made: null, errors: [] };
    if (typeof key !== 'string') {
      return { made: null, errors: [failure('certificate_key', 'required', 'is required with a new certificate')] };
    }
    const validation = env.certificateMaker.validateCertificate(certificate, key, now);
    if (!('served' in validation)) {
      const errors = validation.map(({ member, code, message }) =>
        failure(member === 'private_key' ? 'certificate_key' : member, code, message),
      );
      return { made: null, errors };
    }
    await env.vault.prepare();
    return { made: validation, errors: [] };
  }
  if (typeof key === 'string') {
    return { made: null, errors: [failure('certificate_key', 'inconsistent', 'goes with a new certificate only')] };
  }
  const present = certificate === null && wanted.certificate?.isOwn ? null : wanted.certificate;
  const facts = { ...wanted, certificate: present };
  const host = findServerName(env.store, facts);
  if (host === null || !needsOwnWork(env, facts, now)) return { made: null, errors: [] };
  await env.vault.prepare();
  return { made: await env.certificateMaker.makeSelfSigned(host, now), errors: [] };
}

function failure(member: string, code: FieldError['code'], message: string): FieldError {
  return { pointer: `#/${member}`, code, message };
}

/** Creates missing certificates, and replaces those that expire soon or have another name, unless the vault is locked. */
export async function renewCertificates(env: CertificateEnv & Pick<Env, 'transact'>): Promise<void> {
  const { store, clock, vault, certificateMaker } = env;
  const due = store.inbounds
    .page({}, store.inbounds.count({}), 0)
    .filter((row) => needsOwnWork(env, row, clock.now()) && findServerName(store, row) !== null);
  if (due.length === 0 || store.diskSpace.isFull() || !SEALING.includes(vault.state())) return;
  await vault.prepare();
  for (const { id } of due) {
    const row = store.inbounds.get(id);
    const host = row ? findServerName(store, row) : null;
    if (!row || host === null) continue;
    const made = await certificateMaker.makeSelfSigned(host, clock.now());
    const action: Action = { name: 'renewConnectionCertificate', by: 'certificates' };
    await env.transact(action, (tx) => replaceCertificate(tx, row, made));
  }
}

/** Skipped if the inbound was changed meanwhile; the next run handles it. */
function replaceCertificate(tx: Transaction, before: InboundRow, { served, key }: KeyedCertificate): void {
  const { store } = tx;
  if (store.inbounds.get(before.id)?.version !== before.version) return;
  store.inbounds.save({ ...before, certificate: served, version: before.version + 1 });
  saveSecret(tx, before.id, 'certificate_key', key);
  const changed = ['certificate_ends_at', 'certificate_sha256'];
  tx.emit('inbound.changed', { inbound_id: before.id, node_id: before.nodeId, name: before.name }, changed);
}
