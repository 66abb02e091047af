// What every source has in common: terms, limits and texts fitted to this panel, with what differs named.
import type {
  DocumentHeader,
  DocumentHost,
  DocumentInbound,
  DocumentLinks,
  DocumentUser,
  ImportLoss,
  ImportLossCode,
  ImportSource,
} from '../../contract/imports/document.ts';
import { MAX_DEVICES, MAX_EXPIRES_AT, MAX_TRAFFIC } from '../../contract/scalars.ts';
import type { ResetStrategy } from '../../contract/users/users.ts';
import { type CredentialFamily, credentialFamily } from '../../domain/nodes/inbound-credentials.ts';
import { fitSecret } from './secrets.ts';
import { cleanText, type Json, toInstant, toText } from './values.ts';

const DAY_SECONDS = 86_400;
const MAX_HOLD_DAYS = 36_525;
const LAST = Date.parse(MAX_EXPIRES_AT);

/** What a reader gets besides a database. */
export interface SourceFiles {
  /** Xray's configuration; null: not given, so that connections are unknown. */
  readonly config: Json | null;
  /** Settings of the source's environment, as in `.env`. */
  readonly env: Readonly<Record<string, string>>;
  readonly now: number;
  /** Reads JSON of bounded size. */
  parse(text: string): unknown;
}

export type LeftOut = DocumentHeader['left_out'][number];

export interface SourceDocument {
  readonly source: ImportSource;
  /** A text that no other installation has; only its digest leaves the reader. */
  readonly instance: string;
  readonly inbounds: readonly DocumentInbound[];
  readonly leftOut: readonly LeftOut[];
  readonly hosts: readonly DocumentHost[];
  readonly links: DocumentLinks | null;
  readonly users: readonly DocumentUser[];
}

/** A credential on one inbound; value null: the user may use it, with a new credential. */
export interface OwnCredential {
  readonly inbound: DocumentInbound;
  readonly value: string | null;
  readonly flow: '' | 'xtls-rprx-vision' | null;
}

export interface UserTerms {
  readonly enabled: boolean;
  readonly expiresAt: number | null;
  readonly holdSeconds: number | null;
  readonly limitBytes: number | null;
}

export interface SourceUser extends UserTerms {
  readonly id: string;
  readonly name: string;
  readonly contact?: string;
  readonly note: string;
  readonly tags: readonly string[];
  readonly telegram: unknown;
  readonly metadata: Readonly<Record<string, string>>;
  readonly usedUp: number;
  readonly usedDown: number;
  readonly totalUp: number;
  readonly totalDown: number;
  readonly reset: ResetStrategy;
  readonly deviceLimit: number | null;
  readonly concurrentLimit: number | null;
  /** Null: the source's connections are unknown. */
  readonly credentials: readonly OwnCredential[] | null;
  /** Where connections are unknown, or users have more than those. */
  readonly families?: Partial<Readonly<Record<CredentialFamily, string>>>;
  readonly links: readonly { readonly token: string; readonly notBefore: number | null }[];
  readonly onlineAt: number | null;
  readonly createdAt: number | null;
}

/** The same credential of a protocol on each of its inbounds. `secretOf` null: the user has none for it. */
export function listCredentials(
  inbounds: readonly DocumentInbound[],
  secretOf: (inbound: DocumentInbound) => string | null,
  lose: Lose,
): readonly OwnCredential[] {
  return inbounds.map((inbound) => {
    const text = secretOf(inbound) ?? '';
    const value = text === '' ? null : fitSecret(inbound, text);
    if (value === null) lose('credential_invalid', inbound.tag);
    return { inbound, value, flow: null };
  });
}

/** Collects what is lost of one record. */
export function createLosses() {
  const losses: ImportLoss[] = [];
  const lose = (code: ImportLossCode, detail = '') => {
    if (losses.length < 50) losses.push({ code, detail: cleanText(detail, 200) });
  };
  return { losses, lose };
}

export function buildUser(user: SourceUser, losses: ImportLoss[], now: number): DocumentUser {
  const lose = (code: ImportLossCode, detail = '') => losses.push({ code, detail: cleanText(detail, 200) });
  const metadata: Record<string, string> = {};
  for (const [key, value] of Object.entries(user.metadata)) metadata[key] = cleanText(value, 500, true);
  const name = cleanText(user.name, 100);
  if (name !== user.name) {
    lose('name_shortened', user.name);
    metadata.imported_name = cleanText(user.name, 500);
  }
  const note = cleanText(user.note, 2000, true);
  if ([...user.note].length > 2000) lose('note_shortened');
  const telegram = readTelegram(user.telegram);
  if (telegram.other !== null) {
    lose('telegram_id_invalid', telegram.other);
    metadata.telegram = cleanText(telegram.other, 500);
  }
  const hold = fitHold(user.holdSeconds, lose);
  return {
    id: cleanText(user.id, 300),
    name: name.trim() === '' ? cleanText(user.id, 100) : name,
    contact: cleanText(user.contact ?? '', 100),
    note,
    tags: [...new Set(user.tags.map((tag) => cleanText(tag, 32)).filter((tag) => tag.trim() !== ''))].slice(0, 20),
    external_id: null,
    telegram_id: telegram.id,
    metadata,
    enabled: user.enabled,
    expires_at: hold === null ? fitExpiry(user.expiresAt, lose) : null,
    hold,
    traffic_limit: fitLimit(user.limitBytes, lose),
    used_up: user.usedUp,
    used_down: user.usedDown,
    total_up: Math.max(user.totalUp, user.usedUp),
    total_down: Math.max(user.totalDown, user.usedDown),
    grants: [],
    reset_strategy: user.reset,
    term_began_at: hold === null ? toInstant(user.createdAt ?? now) : null,
    held_at: hold === null ? null : toInstant(now),
    resets_at: null,
    device_limit: fitCount(user.deviceLimit, MAX_DEVICES),
    concurrent_limit: fitCount(user.concurrentLimit, 100),
    tariff: null,
    inbounds: user.credentials === null ? null : [...new Set(user.credentials.map(({ inbound }) => inbound.id))],
    credentials: buildCredentials(user),
    links: fitLinks(user.links),
    token: null,
    online_at: user.onlineAt === null ? null : toInstant(user.onlineAt),
    created_at: user.createdAt === null ? null : toInstant(user.createdAt),
    losses,
  };
}

/** The first credential of a family is for all inbounds of it; those that differ are named one by one. */
function buildCredentials({ credentials, families = {} }: SourceUser): DocumentUser['credentials'] {
  const common: Record<CredentialFamily, string | null> = { uuid: null, password: null, key: null, wireguard: null };
  Object.assign(common, families);
  const byInbound: DocumentUser['credentials']['by_inbound'] = [];
  for (const { inbound, value, flow } of credentials ?? []) {
    if (value === null) continue;
    const family = credentialFamily(inbound);
    common[family] ??= value;
    const hasOwnFlow = flow !== null && flow !== (inbound.flow ?? '');
    if (common[family] !== value || hasOwnFlow)
      byInbound.push({ inbound: inbound.id, value, flow: hasOwnFlow ? flow : null });
  }
  return { ...common, by_inbound: byInbound };
}

type Lose = (code: ImportLossCode, detail?: string) => void;

function fitLinks(links: SourceUser['links']): DocumentUser['links'] {
  return links
    .filter(({ token }) => token !== '' && token.length <= 400)
    .map(({ token, notBefore }) => ({ token, not_before: notBefore === null ? null : toInstant(notBefore) }));
}

function readTelegram(value: unknown): { readonly id: number | null; readonly other: string | null } {
  const text = toText(value);
  if (text.trim() === '' || text === '0') return { id: null, other: null };
  const id = Number(text.trim());
  const isId = /^\d+$/.test(text.trim()) && Number.isSafeInteger(id) && id > 0;
  return isId ? { id, other: null } : { id: null, other: text };
}

function fitHold(seconds: number | null, lose: Lose): DocumentUser['hold'] {
  if (seconds === null || seconds <= 0) return null;
  const days = Math.min(MAX_HOLD_DAYS, Math.max(1, Math.ceil(seconds / DAY_SECONDS)));
  if (days * DAY_SECONDS !== seconds) lose('hold_rounded', `${seconds} s`);
  return { months: 0, days };
}

function fitExpiry(at: number | null, lose: Lose): string | null {
  if (at === null) return null;
  if (at > LAST) {
    lose('term_too_late', toInstant(at) ?? '');
    return null;
  }
  return toInstant(Math.max(0, at));
}

function fitLimit(bytes: number | null, lose: Lose): number | null {
  if (bytes === null || bytes <= 0) return null;
  if (bytes <= MAX_TRAFFIC) return bytes;
  lose('limit_too_large', String(bytes));
  return null;
}

function fitCount(count: number | null, max: number): number | null {
  return count === null || count <= 0 ? null : Math.min(max, count);
}
