// Names of the panel's users and starts inside an engine.

interface UserOnInbound {
  readonly userId: number;
  readonly tag: string;
}

/**
 * The engine's name of a user on an inbound: opaque, and constant while the engine runs, as counters are found by it. It contains the
 * inbound, so that the counters of users also give those of inbounds: an engine's own counter of an inbound is too low (Xray 26.3.27), or
 * takes bytes of Hysteria2 users from their own counters.
 */
export function userKey(userId: number, tag: string): string {
  return `u${userId}.${tag}`;
}

/** Parses such a name; null: it is not one of the panel's. */
export function readUserKey(key: string): UserOnInbound | null {
  const [, userId, tag] = /^u([1-9]\d{0,15})\.([A-Za-z0-9][A-Za-z0-9_-]*)$/.exec(key) ?? [];
  return userId === undefined || tag === undefined ? null : { userId: Number(userId), tag };
}

/** Parses the name under which Xray has a user's addresses; null: it is not one of the panel's. */
export function readOnlineName(name: string): UserOnInbound | null {
  const [kind, key = '', what] = name.split('>>>');
  return kind === 'user' && what === 'online' ? readUserKey(key) : null;
}

/**
 * The tag of the outbound that marks a start. It blocks everything, and its counter, which never moves, is named like those of users: one
 * query returns the counters and the start they belong to. `boot` and `fingerprint` consist of letters and digits.
 */
export function bootTag(boot: string, fingerprint: string): string {
  return `boot-${boot}-${fingerprint}-user`;
}

export interface BootMark {
  readonly boot: string;
  readonly fingerprint: string;
}

/** The start that a tag marks; null: none. */
export function readBootTag(tag: string): BootMark | null {
  const [, boot, fingerprint] = /^boot-([A-Za-z0-9]+)-([A-Za-z0-9]+)-user$/.exec(tag) ?? [];
  return boot === undefined || fingerprint === undefined ? null : { boot, fingerprint };
}
