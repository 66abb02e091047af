// The panel's own certificate authority: detecting replacements, notifying, and the administrator's operations.
import type { Authority } from '../../contract/settings/certificates.ts';
import type { Input, Output } from '../../contract/table.ts';
import { DAY_MS } from '../../domain/limits.ts';
import type { AsyncContext, Env, Handlers, Transaction } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import { toInstant } from '../kernel/wire.ts';
import { notifyAdmins, type Render } from '../notify/admin-notices.ts';
import type { Result } from '../ports/call.ts';
import type { Certificates, LocalAuthority } from '../ports/host.ts';
import type { SettingValues } from '../ports/settings.ts';

type AuthorityEnv = Pick<Env, 'host' | 'settings' | 'store' | 'transact'>;

/** Warning time: clients need the new file by hand. */
const SOON_MS = 365 * DAY_MS;

/** Throws PanelError `unavailable` over plain HTTP. */
export function requireCertificates(env: Pick<Env, 'host'>): Certificates {
  const certificates = env.host()?.certificates;
  if (!certificates) throw new PanelError('unavailable');
  return certificates;
}

function computeWarning({ validity: { from, to } }: LocalAuthority, now: number): Authority['warning'] {
  if (now >= to) return 'ended';
  if (now < from) return 'not_yet';
  return to - now <= SOON_MS ? 'ends_soon' : null;
}

export function viewAuthority(
  authority: LocalAuthority,
  { authority: seen }: Pick<SettingValues, 'authority'>,
  now: number,
): Authority {
  const { fingerprint, validity, pem } = authority;
  const former = seen?.former ?? null;
  return {
    fingerprint,
    not_before: toInstant(validity.from),
    not_after: toInstant(validity.to),
    pem,
    warning: computeWarning(authority, now),
    replaced: former && { fingerprint: former.fingerprint, at: toInstant(former.replacedAt) },
  };
}

/** Records a new authority and notifies about it. The first one of a panel has no clients yet. */
function recordAuthority(tx: Transaction, { fingerprint }: LocalAuthority): void {
  const before = tx.settings.authority;
  if (before?.fingerprint === fingerprint) return;
  const former = before && { fingerprint: before.fingerprint, replacedAt: tx.now };
  tx.saveSettings({ authority: { fingerprint, former } });
  if (former === null) return;
  tx.emit('certificate.authority_replaced', { fingerprint, former_fingerprint: former.fingerprint });
  const render: Render = ({ t }) => t('admin.notice.authorityReplaced');
  notifyAdmins(tx, { kind: 'certificate', key: `authority:${fingerprint}`, render });
}

/** The periodic job: detects any replacement, including one while the panel was stopped. */
export async function followAuthority(env: AuthorityEnv): Promise<void> {
  const authority = env.host()?.certificates?.authority();
  const isKnown = !authority || env.settings().authority?.fingerprint === authority.fingerprint;
  if (isKnown || env.store.diskSpace.isFull()) return;
  await env.transact({ name: 'replaceAuthority', by: 'authority' }, (tx) => {
    if (tx.settings.authority !== null) tx.audit('authority', { fingerprint: authority.fingerprint });
    recordAuthority(tx, authority);
  });
}

async function replaceAuthority(
  _input: Input<'replaceAuthority'>,
  { env, transaction, commit }: AsyncContext<'replaceAuthority'>,
): Promise<Result<Output<'replaceAuthority'>>> {
  const certificates = requireCertificates(env);
  // First, because files are outside the transaction, and nothing may be replaced if nothing can be written.
  await transaction((tx) => {
    tx.audit('authority', { former: certificates.authority().fingerprint });
  });
  await certificates.replaceAuthority();
  return commit((tx) => {
    const authority = certificates.authority();
    recordAuthority(tx, authority);
    return { body: viewAuthority(authority, env.settings(), tx.now) };
  });
}

function confirmAuthority(_input: Input<'confirmAuthority'>, tx: Transaction): Result<Output<'confirmAuthority'>> {
  const authority = requireCertificates(tx.env).authority();
  const { fingerprint } = authority;
  tx.saveSettings({ authority: { fingerprint, former: null } });
  tx.audit('authority', { fingerprint });
  return { body: viewAuthority(authority, tx.env.settings(), tx.now) };
}

export const AUTHORITY_HANDLERS = {
  replaceAuthority: { run: replaceAuthority },
  confirmAuthority: { write: confirmAuthority },
} satisfies Handlers<'replaceAuthority' | 'confirmAuthority'>;
