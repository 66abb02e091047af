// What a subscription lists, before any format: the user's connections under names of their own, or one entry that says why there are none.
import type { Subscription } from '../core/core.ts';
import type { SettingValues } from '../core/ports/settings.ts';
import { noticeOf } from './notices.ts';
import type { Entry, Inbound } from './share-links.ts';

/** The user's connections that a format can carry. Where there are none, one entry that says why: never an empty list. */
export function entriesOf(
  sub: Subscription,
  settings: Pick<SettingValues, 'language' | 'timeZone'>,
  canCarry: (inbound: Inbound) => boolean,
): readonly Entry[] {
  const carried = sub.canConnect ? sub.connections.filter(({ inbound }) => canCarry(inbound)) : [];
  if (carried.length === 0) return [notice(noticeOf(sub, settings))];
  const names = uniqueNames(carried.map(({ inbound }) => inbound.name));
  const { uuid, password } = sub.user;
  return carried.map(({ inbound, address }, index) => ({
    name: names[index] ?? inbound.name,
    address,
    inbound,
    credentials: { uuid, password },
  }));
}

/** The names in their order; one that came before gets the lowest number that makes it new: clients merge entries of one name. */
export function uniqueNames(names: readonly string[]): readonly string[] {
  const wanted = new Set(names);
  const taken = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let number = 2; taken.has(unique) || (unique !== name && wanted.has(unique)); number += 1) {
      unique = `${name} ${number}`;
    }
    taken.add(unique);
    return unique;
  });
}

// Well-formed for every client and bound to fail at once: nothing listens on port 1 of the user's own device.
function notice(name: string): Entry {
  return {
    name,
    address: '127.0.0.1',
    inbound: {
      protocol: 'vless',
      network: 'tcp',
      security: 'none',
      port: 1,
      sni: null,
      path: null,
      serviceName: null,
      flow: null,
      fingerprint: null,
      alpn: null,
      publicKey: null,
      shortId: null,
      method: null,
    },
    credentials: { uuid: '00000000-0000-0000-0000-000000000000', password: '' },
  };
}
