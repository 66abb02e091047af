// Names of backups at places, by which a panel knows its own and an unfinished upload; and where the secrets of places are sealed for.
const END = '.gatehouse-backup';
const PLACED = /^gatehouse-[A-Za-z0-9._-]{1,100}\.gatehouse-backup$/;
const TEST = 'gatehouse-test-';
const PARTIAL = /^\.gatehouse-[A-Za-z0-9._-]{1,100}\.gatehouse-backup\.part$/;

/** The instance id is that of one panel: two panels at one place never delete each other's backups. */
export function buildPlacedName(instanceId: string, at: number): string {
  return `${buildPrefix(instanceId)}${new Date(at).toISOString().replace(/[:.]/g, '-')}${END}`;
}

export function isPlacedName(name: string): boolean {
  return PLACED.test(name);
}

/** Name of the temporary file with which a place is tested. */
export function buildTestName(instanceId: string): string {
  return `${TEST}${instanceId}${END}`;
}

export function isTestName(name: string): boolean {
  return name.startsWith(TEST);
}

/** Whether the panel of that instance id made it. */
export function isOwnName(name: string, instanceId: string): boolean {
  return isPlacedName(name) && name.startsWith(buildPrefix(instanceId));
}

/** Temporary name of a file while it is written. */
export function buildPartialName(name: string): string {
  return `.${name}.part`;
}

/** Whether a file is the leftover of an interrupted upload by the panel that created `name`. */
export function isLeftover(found: string, name: string): boolean {
  const owner = name.split('-').slice(0, 2).join('-');
  return PARTIAL.test(found) && found.startsWith(`.${owner}-`) && found !== buildPartialName(name);
}

/** Names of this panel's own backups without the newest `count`, at least without the newest one. */
export function listSurplus(names: readonly string[], instanceId: string, count: number): readonly string[] {
  const own = names.filter((name) => isOwnName(name, instanceId));
  // Their names contain the time in a form that sorts as text.
  return own.sort((a, b) => (a < b ? 1 : -1)).slice(Math.max(1, count));
}

function buildPrefix(instanceId: string): string {
  return `gatehouse-${instanceId}-`;
}

/** Prefix of the places to which sealed secrets are bound: `backup-place:<id>:<name>`. */
export const PLACE_SECRETS = 'backup-place';
