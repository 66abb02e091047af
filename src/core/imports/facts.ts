// A user of a document, and a user of the panel, in the same terms, so that they can be compared.
import type { DocumentUser } from '../../contract/imports/document.ts';
import type { ImportedFacts } from '../../domain/imports/plan.ts';
import type { Transaction } from '../kernel/context.ts';
import { fromInstant } from '../kernel/wire.ts';
import type { Credentials, InboundCredential } from '../ports/credentials.ts';
import type { ImportReferences } from '../ports/imports.ts';
import type { UserRow } from '../ports/users.ts';

export type GivenCredentials = Partial<Omit<Credentials, 'byInbound'>> & {
  readonly byInbound: readonly InboundCredential[];
};

const FAMILIES = ['uuid', 'password', 'key', 'wireguard'] as const;

/** The credentials that a document has; families without one are left out. */
export function readCredentials({ credentials }: DocumentUser, { inbounds }: ImportReferences): GivenCredentials {
  const given: Record<string, string> = {};
  for (const family of FAMILIES) {
    const value = credentials[family];
    if (value !== null) given[family] = value;
  }
  const byInbound = credentials.by_inbound.flatMap(({ inbound, value, flow }) => {
    const inboundId = inbounds.get(inbound) ?? null;
    return inboundId === null ? [] : [{ inboundId, value, flow }];
  });
  return { ...given, byInbound: byInbound.sort((a, b) => a.inboundId - b.inboundId) };
}

/** Of the families that the source has, and of single inbounds. */
function digest(crypto: Transaction['crypto'], present: GivenCredentials, families: GivenCredentials): string {
  const values = FAMILIES.filter((family) => families[family] !== undefined).map((family) => present[family]);
  const own = present.byInbound.map(({ inboundId, value, flow }) => [inboundId, value, flow]);
  return crypto.sha256(JSON.stringify([values, own]));
}

function mapInbounds(user: DocumentUser, { inbounds }: ImportReferences): readonly number[] | null {
  if (user.inbounds === null) return null;
  const ids = user.inbounds.map((id) => inbounds.get(id) ?? null).filter((id) => id !== null);
  return [...new Set(ids)].sort((a, b) => a - b);
}

const toMs = (instant: string | null) => (instant === null ? null : fromInstant(instant));

export function factsOfDocument(
  user: DocumentUser,
  references: ImportReferences,
  crypto: Transaction['crypto'],
): ImportedFacts {
  const given = readCredentials(user, references);
  return {
    name: user.name,
    contact: user.contact,
    note: user.note,
    tags: user.tags,
    externalId: user.external_id,
    telegramId: user.telegram_id,
    metadata: user.metadata,
    enabled: user.enabled,
    term: { expiresAt: toMs(user.expires_at), hold: user.hold },
    trafficLimit: user.traffic_limit,
    resetStrategy: user.reset_strategy,
    deviceLimit: user.device_limit,
    concurrentLimit: user.concurrent_limit,
    inbounds: mapInbounds(user, references),
    access: digest(crypto, given, given),
    links: user.links.length === 0 ? '' : crypto.sha256(JSON.stringify(user.links)),
    used: { up: user.used_up, down: user.used_down },
    total: { up: user.total_up, down: user.total_down },
  };
}

/** `given`: the credentials of the source, as only those families are compared. */
export function factsOfRow(
  row: UserRow,
  credentials: Credentials,
  given: GivenCredentials,
  crypto: Transaction['crypto'],
): ImportedFacts {
  const byInbound = [...(credentials.byInbound ?? [])].sort((a, b) => a.inboundId - b.inboundId);
  return {
    name: row.name,
    contact: row.contact,
    note: row.note,
    tags: row.tags,
    externalId: row.externalId,
    telegramId: row.telegramId,
    metadata: row.metadata,
    enabled: row.enabled,
    term: { expiresAt: row.expiresAt, hold: row.hold },
    trafficLimit: row.trafficLimit,
    resetStrategy: row.resetStrategy,
    deviceLimit: row.deviceLimit,
    concurrentLimit: row.concurrentLimit,
    inbounds: row.inbounds === null ? null : [...row.inbounds].sort((a, b) => a - b),
    access: digest(crypto, { ...credentials, byInbound }, given),
    links: '',
    used: { up: row.usedUp, down: row.usedDown },
    total: { up: row.totalUp, down: row.totalDown },
  };
}
