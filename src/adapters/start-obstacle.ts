// Reasons why a panel cannot start, as data: the command line prints sentences with its options, and a host with dialogs has its own texts.
import { describeSystemError, isRefusal, type Refusal, type RefusalReason, refusal } from './refusal.ts';

interface Facts {
  readonly folderIsFile: { readonly folder: string };
  readonly folderUnusable: { readonly folder: string };
  readonly folderLocked: { readonly folder: string };
  readonly folderOnNetwork: { readonly folder: string; readonly network: string };
  readonly folderForeign: { readonly folder: string };
  readonly folderLinked: { readonly folder: string; readonly path: string };
  readonly folderOfOther: { readonly folder: string };
  readonly folderOpen: { readonly folder: string };
  readonly pathUnusable: { readonly path: string };
  readonly diskFull: { readonly folder: string };
  readonly inUse: { readonly folder: string };
  readonly inUseByCommand: { readonly folder: string; readonly pid: number; readonly command: string };
  readonly inUseByDesktop: { readonly folder: string; readonly pid: number };
  readonly databaseMissing: { readonly path: string };
  readonly databaseUnusable: { readonly path: string };
  readonly markDamaged: { readonly path: string };
  readonly portTaken: { readonly host: string; readonly port: number };
  readonly portForbidden: { readonly port: number };
  readonly addressForeign: { readonly host: string };
  readonly addressUnusable: { readonly host: string; readonly port: number };
}

export type ObstacleKind = keyof Facts;

export interface Obstacle {
  readonly kind: ObstacleKind;
  readonly facts: Readonly<Record<string, string | number>>;
  /** The system's or the database's: `EACCES`, `newer`. Empty: none is known. */
  readonly code: string;
  /** The error in English. Empty: none caused it. */
  readonly reason: string;
}

/** A refusal that a host can show in its own words. */
export type StartRefusal = Refusal & { readonly obstacle: Obstacle };

type Sentences = {
  readonly [Kind in ObstacleKind]: readonly [RefusalReason, (facts: Facts[Kind], reason: string) => string];
};

const describeInUse = (who: string, folder: string) =>
  `${who} is using the data folder ${folder}. Stop it, or name another folder with --data.`;

/** Sentences of the command line. */
const SENTENCES: Sentences = {
  folderIsFile: ['data_folder', ({ folder }) => `The data folder ${folder} is a file.`],
  folderUnusable: ['data_folder', ({ folder }, reason) => `The data folder ${folder} cannot be used: ${reason}.`],
  folderLocked: ['data_folder', ({ folder }, reason) => `The data folder ${folder} cannot be locked: ${reason}.`],
  folderOnNetwork: [
    'data_folder',
    ({ folder, network }) =>
      `The data folder ${folder} is on a network drive (${network}), where a database is lost sooner or later. Name a folder on a local disk with --data.`,
  ],
  folderForeign: [
    'data_folder',
    ({ folder }) => `The folder ${folder} holds other files and no panel. Name an empty or a new folder.`,
  ],
  folderLinked: [
    'data_folder',
    ({ folder, path }) =>
      `The data folder ${folder} cannot be used: ${path} is a symbolic link, which the panel does not follow.`,
  ],
  folderOfOther: [
    'data_folder',
    ({ folder }) => `The data folder ${folder} belongs to another account of this machine.`,
  ],
  folderOpen: [
    'data_folder',
    ({ folder }, reason) => `Others may write in the data folder ${folder}, and that cannot be changed: ${reason}.`,
  ],
  pathUnusable: ['data_folder', ({ path }, reason) => `${path} cannot be used: ${reason}.`],
  diskFull: [
    'data_folder',
    ({ folder }) => `The disk of the data folder ${folder} is full. Free some space, then start again.`,
  ],
  inUse: ['in_use', ({ folder }) => describeInUse('Another panel', folder)],
  inUseByCommand: [
    'in_use',
    ({ folder, pid, command }) => describeInUse(`Another panel (process ${pid}, \`panel ${command}\`)`, folder),
  ],
  inUseByDesktop: ['in_use', ({ folder, pid }) => describeInUse(`The desktop application (process ${pid})`, folder)],
  databaseMissing: [
    'database',
    ({ path }) =>
      `The database ${path} is missing, and a panel has run here. Bring it back, or restore a backup with \`panel restore\`; for a new panel name a new folder with --data.`,
  ],
  databaseUnusable: ['database', ({ path }, reason) => `The database ${path} cannot be used: ${reason}.`],
  markDamaged: [
    'data_folder',
    ({ path }) => `${path} is damaged. If no other panel has these data, run \`panel promote --take-back\`.`,
  ],
  portTaken: [
    'address',
    ({ host, port }) => `Port ${port} on ${host} is taken by another program. Name another one with --port.`,
  ],
  portForbidden: [
    'address',
    ({ port }) => `This user may not listen on port ${port}. Name one above 1023 with --port.`,
  ],
  addressForeign: ['address', ({ host }) => `${host} is not an address of this machine.`],
  addressUnusable: ['address', ({ host, port }, reason) => `${host}, port ${port}, cannot be listened on: ${reason}.`],
};

/** `cause`: the error that made it fail. */
export function startRefusal<Kind extends ObstacleKind>(kind: Kind, facts: Facts[Kind], cause?: unknown): StartRefusal {
  const [exit, render] = SENTENCES[kind];
  const reason = cause === undefined ? '' : describeSystemError(cause);
  return Object.assign(refusal(exit, render(facts, reason)), {
    obstacle: { kind, facts, code: getCode(cause), reason },
  });
}

/** null: an error that a host has no text for. */
export function findObstacle(error: unknown): Obstacle | null {
  return isRefusal(error) && 'obstacle' in error ? (error as StartRefusal).obstacle : null;
}

/** Turns an error of the file system into a refusal that names the file; any other error stays as it is. */
export function toRefusal(error: unknown, folder: string): unknown {
  if (isRefusal(error) || !(error instanceof Error && 'syscall' in error)) return error;
  return 'path' in error
    ? startRefusal('pathUnusable', { path: String(error.path) }, error)
    : startRefusal('folderUnusable', { folder }, error);
}

function getCode(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('reason' in error) return String(error.reason);
  return 'code' in error ? String(error.code) : '';
}
