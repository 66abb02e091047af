// How the panel's users and starts are named inside an engine.

interface UserOnInbound {
  readonly userId: number;
  readonly tag: string;
}

/**
 * The engine's name of a user on an inbound: opaque, and the same as long as the engine runs, as counters are found by it. Each inbound has
 * a name of its own, so that the counters of users are also those of inbounds: what an engine counts for a whole inbound is
 * short of what it sent (Xray 26.3.27), or takes the users of Hysteria2 away from their own counters.
 */
export function userKey(userId: number, tag: string): string {
  return `u${userId}.${tag}`;
}

/** The user and the inbound of a name; null: not one of the panel's. */
export function readUserKey(key: string): UserOnInbound | null {
  const [, userId, tag] = /^u([1-9]\d{0,15})\.([A-Za-z0-9][A-Za-z0-9_-]*)$/.exec(key) ?? [];
  return userId === undefined || tag === undefined ? null : { userId: Number(userId), tag };
}

/** Those of the name by which Xray has the addresses of a user; null: not one of the panel's. */
export function readOnlineName(name: string): UserOnInbound | null {
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
