// How the panel's users and starts are named inside an engine.

/** The engine's name of a user: opaque and never changed, as counters are found by it. */
export function userKey(userId: number): string {
  return `u${userId}`;
}

/** The user of a name; null: not one of the panel's. */
export function readUserKey(key: string): number | null {
  const userId = /^u([1-9]\d{0,15})$/.exec(key)?.[1];
  return userId === undefined ? null : Number(userId);
}

/** The user of the name by which Xray has the addresses of one; null: not one of the panel's. */
export function readOnlineName(name: string): number | null {
  const [kind, key = '', what] = name.split('>>>');
  return kind === 'user' && what === 'online' ? readUserKey(key) : null;
}

/**
 * The tag of the outbound that marks a start. It blocks everything, and its counter, which never moves, is named like those of users:
 * one query answers the counters and which start they belong to. `boot` and `fingerprint` consist of letters and digits.
 */
export function bootTag(boot: string, fingerprint: string): string {
  return `boot-${boot}-${fingerprint}-user`;
}

export interface BootMark {
  readonly boot: string;
  readonly fingerprint: string;
}

/** The start that a tag marks; null: it marks none. */
export function readBootTag(tag: string): BootMark | null {
  const [, boot, fingerprint] = /^boot-([A-Za-z0-9]+)-([A-Za-z0-9]+)-user$/.exec(tag) ?? [];
  return boot === undefined || fingerprint === undefined ? null : { boot, fingerprint };
}
