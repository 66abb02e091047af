// Secrets of inbounds: each sealed in its own vault place, and opened only for engines and users' links.
import { hasKeys, keyFor } from '../../domain/nodes/shadowsocks.ts';
import { PanelError } from '../kernel/panel-error.ts';
import type { InboundSecrets } from '../ports/credentials.ts';
import type { EngineInbound } from '../ports/engines.ts';
import type { InboundRow } from '../ports/inbounds.ts';
import type { Store, Vault } from '../ports/ports.ts';
import { hasKeyPair } from './inbound-rules.ts';

/**
 * `private_key`: REALITY and WireGuard. `certificate_key`: TLS, PEM. `server_key`: Shadowsocks 2022, 32 bytes in base64. `decryption`: VLESS encryption.
 * `mldsa65_seed`: REALITY.
 */
const SECRETS = ['private_key', 'certificate_key', 'server_key', 'decryption', 'mldsa65_seed'] as const;
export type InboundSecret = (typeof SECRETS)[number];

interface Parts {
  readonly store: Pick<Store, 'sealed'>;
  readonly vault: Vault;
}

function buildSecretPlace(id: number, secret: InboundSecret): string {
  return `inbound:${id}:${secret}`;
}

export function hasSecret({ store }: Pick<Parts, 'store'>, id: number, secret: InboundSecret): boolean {
  return store.sealed.get(buildSecretPlace(id, secret)) !== undefined;
}

/** Seals a secret; null removes it. */
export function saveSecret({ store, vault }: Parts, id: number, secret: InboundSecret, value: string | null): void {
  if (value === null) store.sealed.remove(buildSecretPlace(id, secret));
  else store.sealed.save(vault.seal(buildSecretPlace(id, secret), value));
}

export function removeSecrets({ store }: Pick<Parts, 'store'>, id: number): void {
  for (const secret of SECRETS) store.sealed.remove(buildSecretPlace(id, secret));
}

function openSecret({ store, vault }: Parts, id: number, secret: InboundSecret): string | null {
  const row = store.sealed.get(buildSecretPlace(id, secret));
  return row === undefined ? null : vault.open(row);
}

/** Copies a secret to another inbound of the same group. PanelError `vault_unavailable`. */
export function copySecret(parts: Parts, from: number, to: number, secret: InboundSecret): void {
  saveSecret(parts, to, secret, openSecret(parts, from, secret));
}

/** The server key in the length that the cipher needs. */
function findServerKey(parts: Parts, { id, method }: InboundRow): string | null {
  if (method === null || !hasKeys(method)) return null;
  const key = openSecret(parts, id, 'server_key');
  return key === null ? null : keyFor(method, key);
}

/** An inbound with its secrets, for its engine. PanelError `vault_unavailable`. */
export function engineInbound(parts: Parts, row: InboundRow): EngineInbound {
  return {
    ...row,
    privateKey: hasKeyPair(row) ? openSecret(parts, row.id, 'private_key') : null,
    certificateKey: row.security === 'tls' ? openSecret(parts, row.id, 'certificate_key') : null,
    decryption: row.encryption === null ? null : openSecret(parts, row.id, 'decryption'),
    mldsa65Seed: row.mldsa65Verify === null ? null : openSecret(parts, row.id, 'mldsa65_seed'),
    serverKey: findServerKey(parts, row),
  };
}

/** Secrets of an inbound that subscriptions contain. Never throws: a link must work for the other inbounds. */
export function readInboundSecrets(parts: Parts, row: InboundRow): InboundSecrets {
  const pinned = row.security === 'tls' && row.certificate?.isSelfSigned ? row.certificate : null;
  return {
    serverKey: orNull(() => findServerKey(parts, row)),
    certificate: pinned?.chain ?? null,
    pin: pinned?.sha256 ?? null,
  };
}

function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof PanelError) return null;
    throw error;
  }
}
