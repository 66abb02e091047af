// By which addresses and names the panel is reached, as networks come and go.
import { machineNames } from '../adapters/addresses.ts';
import type { Timers } from '../core/ports/ports.ts';
import type { SettingValues } from '../core/ports/settings.ts';
import { originIn, type PanelOptions } from './config.ts';
import type { Place } from './listening.ts';
import { originOf } from './origin.ts';

export type NamedSettings = Pick<SettingValues, 'publicAddress' | 'publicUrl' | 'hostNames'>;

export type Reach = {
  /** How base_url begins. */
  origin(): string;
  /** Accepted in Host besides IP literals. */
  names(): ReadonlySet<string>;
  /** Says what is really listened on: a port that was left to the system, say. */
  listensOn(place: Place): void;
  stop(): void;
};

/** How long one look at the machine's network interfaces is good for. */
const LOOK_AGAIN_MS = 60_000;

export function createReach(
  { publicUrl, plainHttp }: PanelOptions,
  settings: () => SettingValues,
  timers: Timers,
): Reach {
  let place: Place = settings();
  const outer = publicUrl === undefined ? null : originIn(publicUrl);
  let origin = '';
  let names: ReadonlySet<string> = new Set();
  const look = () => {
    const { publicAddress } = settings();
    origin = outer ?? originOf({ scheme: plainHttp ? 'http' : 'https', ...place, publicAddress });
    names = new Set(namesOf(settings()));
  };
  look();
  return {
    origin: () => origin,
    names: () => names,
    listensOn(now) {
      place = now;
      look();
    },
    stop: timers.every(LOOK_AGAIN_MS, look),
  };
}

/** Names accepted in the Host header besides IP literals: the machine's, the public one, those added. Lower case. */
export function namesOf({ publicAddress, publicUrl, hostNames }: NamedSettings): readonly string[] {
  const outer = [publicAddress, publicUrl === null ? null : (URL.parse(publicUrl)?.hostname ?? null), ...hostNames];
  const names = outer
    .filter((name): name is string => name !== null)
    .map((name) => name.toLowerCase().replace(/^\[|\]$/g, ''));
  return [...new Set([...machineNames(), ...names])];
}
