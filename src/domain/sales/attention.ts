// Issues that need the administrator's attention, most serious first: only current ones that can be solved.
import type { Authority } from '../../contract/settings/certificates.ts';
import type { Output } from '../../contract/table.ts';
import { DAY_MS } from '../limits.ts';
import { isRefusal } from './provider-health.ts';

export type Attention =
  | { readonly kind: 'clock'; readonly state: 'doubted' | 'kept'; readonly machineAt: string; readonly panelAt: string }
  | { readonly kind: 'no-nodes' }
  | { readonly kind: 'no-plans' }
  | { readonly kind: 'node-down'; readonly id: number; readonly name: string; readonly lastSeen: string | null }
  | {
      readonly kind: 'node-certificate';
      readonly id: number;
      readonly name: string;
      /** Null: none yet. */
      readonly endsAt: string | null;
      readonly isOver: boolean;
    }
  | { readonly kind: 'certificate'; readonly endsAt: string; readonly isOver: boolean }
  /** A payment provider refuses requests. */
  | { readonly kind: 'provider'; readonly id: number; readonly name: string }
  | { readonly kind: 'import-damaged' }
  | { readonly kind: 'authority'; readonly state: AuthorityIssue; readonly at: string }
  | { readonly kind: 'update'; readonly version: string; readonly isTakenBack: boolean }
  | { readonly kind: 'acme'; readonly isFirst: boolean }
  | { readonly kind: 'backup'; readonly lastAt: string | null }
  /** No backup has left the machine for long. */
  | { readonly kind: 'backup-away'; readonly leftAt: string | null; readonly hasPlaces: boolean }
  | { readonly kind: 'backup-place'; readonly id: number; readonly name: string }
  | { readonly kind: 'sign-ins' | 'keys'; readonly count: number; readonly networks: number }
  | { readonly kind: 'expiring'; readonly count: number; readonly countedAt: string }
  | { readonly kind: 'limited'; readonly count: number };

/** What clients or the administrator must do about the panel's own certificate authority. */
export type AuthorityIssue = 'replaced' | NonNullable<Authority['warning']>;

/** Facts read so far; undefined: not read yet, or not available. */
export interface PanelFacts {
  readonly clock: Output<'getClock'> | undefined;
  readonly overview: Output<'getOverview'> | undefined;
  readonly nodes: Output<'listNodes'> | undefined;
  readonly plans: Output<'listTariffs'> | undefined;
  readonly certificates: Output<'getCertificates'> | undefined;
  readonly acme: Output<'getAcme'> | undefined;
  readonly backups: Output<'listBackups'> | undefined;
  readonly places: Output<'listBackupPlaces'> | undefined;
  readonly updates: Output<'getUpdates'> | undefined;
  readonly failures: Output<'getFailedAttempts'> | undefined;
  readonly providers: Output<'listProviders'> | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** An older backup no longer covers the last week. */
const BACKUP_OLD_MS = 7 * DAY_MS;
/** Fewer failed sign-ins in an hour are typing errors. */
const MANY_FAILURES = 10;
/** The same time after which the panel notifies the administrator. */
const BACKUP_AWAY_MS = 2 * DAY_MS;
/** A panel younger than this needs no backup yet. */
const BACKUP_SOON_MS = DAY_MS;

export function computeAttention({
  clock,
  overview,
  nodes,
  plans,
  certificates,
  acme,
  backups,
  places,
  updates,
  failures,
  providers,
  now,
}: PanelFacts): readonly Attention[] {
  const all: Attention[] = [];
  if (clock !== undefined && clock.state !== 'followed')
    all.push({ kind: 'clock', state: clock.state, machineAt: clock.machine_at, panelAt: clock.panel_at });
  if (nodes?.total === 0) all.push({ kind: 'no-nodes' });
  if (plans?.total === 0) all.push({ kind: 'no-plans' });
  for (const { id, name, enabled, status, last_seen_at } of nodes?.items ?? []) {
    if (enabled && status === 'down') all.push({ kind: 'node-down', id, name, lastSeen: last_seen_at });
  }
  for (const { id, name, enabled, links_certificate: links } of nodes?.items ?? []) {
    if (!enabled || links === null || (links.failure === null && !links.ends_soon)) continue;
    const endsAt = links.not_after;
    all.push({ kind: 'node-certificate', id, name, endsAt, isOver: endsAt !== null && Date.parse(endsAt) <= now });
  }
  for (const { warning, not_after } of certificates?.served ?? []) {
    if (warning === 'ended' || warning === 'ends_soon') {
      all.push({ kind: 'certificate', endsAt: not_after, isOver: warning === 'ended' });
    }
  }
  for (const { id, name, enabled, error } of providers?.items ?? []) {
    if (enabled && error !== null && isRefusal(error)) all.push({ kind: 'provider', id, name });
  }
  if (certificates?.served.some(({ warning }) => warning === 'import_damaged')) all.push({ kind: 'import-damaged' });
  if (certificates?.authority && certificates.served.some(({ source }) => source === 'local'))
    all.push(...findAuthorityIssues(certificates.authority));
  if (acme?.status === 'failing') all.push({ kind: 'acme', isFirst: acme.not_after === null });
  const hasUsers = (overview?.users.total ?? 0) > 0;
  const oldest = nodes?.items.map(({ created_at }) => Date.parse(created_at)).sort((a, b) => a - b)[0] ?? now;
  const leftAt = places?.left_at ?? null;
  // The newest backup may be stored elsewhere only.
  const made = [...(backups?.items ?? []).map(({ created_at }) => created_at), ...(leftAt === null ? [] : [leftAt])];
  const lastAt = made.sort().at(-1) ?? null;
  const isOld = lastAt === null ? now - oldest > BACKUP_SOON_MS : now - Date.parse(lastAt) > BACKUP_OLD_MS;
  if (backups !== undefined && hasUsers && isOld) all.push({ kind: 'backup', lastAt });
  for (const { id, name, error } of places?.items ?? []) {
    if (error !== null) all.push({ kind: 'backup-place', id, name });
  }
  const isBackedUp = backups === undefined || !isOld;
  const isLate = now - (leftAt === null ? oldest : Date.parse(leftAt)) > BACKUP_AWAY_MS;
  if (places !== undefined && hasUsers && isBackedUp && isLate)
    all.push({ kind: 'backup-away', leftAt, hasPlaces: places.items.length > 0 });
  if (updates !== undefined && updates.available !== null) {
    const { available, last } = updates;
    const isTakenBack = last?.result === 'rolled_back' && last.from === available.version;
    all.push({ kind: 'update', version: available.version, isTakenBack });
  }
  const { sign_ins, keys } = failures ?? {};
  if (sign_ins && sign_ins.count >= MANY_FAILURES) all.push({ kind: 'sign-ins', ...sign_ins });
  if (keys && keys.count >= MANY_FAILURES) all.push({ kind: 'keys', ...keys });
  if (overview !== undefined && overview.users.expiring_7d > 0)
    all.push({ kind: 'expiring', count: overview.users.expiring_7d, countedAt: overview.generated_at });
  if (overview !== undefined && overview.users.limited > 0)
    all.push({ kind: 'limited', count: overview.users.limited });
  return all;
}

/** Matters to clients only while it signs the served certificates. */
function findAuthorityIssues({ warning, replaced, not_before, not_after }: Authority): readonly Attention[] {
  const issues: Attention[] = [];
  if (replaced !== null) issues.push({ kind: 'authority', state: 'replaced', at: replaced.at });
  if (warning !== null) {
    issues.push({ kind: 'authority', state: warning, at: warning === 'not_yet' ? not_before : not_after });
  }
  return issues;
}
