// The target of an entry: `user:7` as a kind, an id and the path of its record.

type TargetKind =
  | 'user'
  | 'tariff'
  | 'inbound'
  | 'node'
  | 'key'
  | 'session'
  | 'backup'
  | 'backups'
  | 'backup-place'
  | 'administrator'
  | 'settings'
  | 'addresses'
  | 'certificate'
  | 'webhook'
  | 'provider'
  | 'bot';

export interface Target {
  readonly kind: TargetKind;
  /** '' where there is only one of its kind. */
  readonly id: string;
}

const PATHS: Readonly<Record<TargetKind, readonly string[] | null>> = {
  user: ['users'],
  tariff: ['plans'],
  inbound: ['connections'],
  node: ['nodes'],
  key: ['settings', 'security'],
  session: ['settings', 'security'],
  administrator: ['settings', 'security'],
  backup: ['settings', 'backups'],
  backups: ['settings', 'backups'],
  'backup-place': ['settings', 'backups', 'places'],
  settings: ['settings', 'general'],
  addresses: ['settings', 'addresses'],
  certificate: ['settings', 'certificates'],
  webhook: ['settings', 'security', 'webhooks'],
  provider: ['settings', 'payments'],
  bot: ['settings', 'bot'],
};

/** Kinds whose records have an address of their own. */
const OWN: ReadonlySet<TargetKind> = new Set(['user', 'tariff', 'inbound', 'node']);

/** null: of a kind that this page does not know. */
export function parseTarget(text: string): Target | null {
  const mark = text.indexOf(':');
  const kind = mark < 0 ? text : text.slice(0, mark);
  return kind in PATHS ? { kind: kind as TargetKind, id: mark < 0 ? '' : text.slice(mark + 1) } : null;
}

/** Where its record or its settings are. */
export function buildTargetPath({ kind, id }: Target): readonly string[] {
  const path = PATHS[kind] ?? [];
  return OWN.has(kind) ? [...path, id] : path;
}

/** Whether an act deletes its target, so that there is no record to link to. */
export function isGone(action: string): boolean {
  return /^delete(?:User|Tariff|Inbound|Node)$/.test(action);
}
