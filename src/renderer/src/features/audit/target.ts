// The target of an entry: parses `user:7` into a kind, an id and the path of its record.

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
  /** '' for a kind of which there is only one. */
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

/** Kinds whose records have their own addresses. */
const OWN: ReadonlySet<TargetKind> = new Set(['user', 'tariff', 'inbound', 'node']);

/** null: a kind that this page does not know. */
export function parseTarget(text: string): Target | null {
  const mark = text.indexOf(':');
  const kind = mark < 0 ? text : text.slice(0, mark);
  return kind in PATHS ? { kind: kind as TargetKind, id: mark < 0 ? '' : text.slice(mark + 1) } : null;
}

/** The path of the record, or of its settings. */
export function buildTargetPath({ kind, id }: Target): readonly string[] {
  const path = PATHS[kind] ?? [];
  return OWN.has(kind) ? [...path, id] : path;
}

/** Whether an action deletes its target, so that there is nothing to link to. */
export function isGone(action: string): boolean {
  return /^delete(?:User|Tariff|Inbound|Node)$/.test(action);
}
