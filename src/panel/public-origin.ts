// Addresses and names of the panel: changed settings apply at once, the machine's networks are read every minute.
import { isIPv6 } from 'node:net';
import { lanAddress, lanAddresses, machineNames } from '../adapters/addresses.ts';
import type { AcmeSettings } from '../core/ports/acme.ts';
import type { ListenAddress } from '../core/ports/host.ts';
import type { Timers } from '../core/ports/ports.ts';
import type { SettingValues } from '../core/ports/settings.ts';
import { isLoopback, originIn, type PanelOptions } from './config.ts';

export type NamedSettings = Pick<SettingValues, 'publicAddress' | 'publicUrl' | 'hostNames'> & {
  readonly acme?: Pick<AcmeSettings, 'names'> | null;
};

export type Reach = {
  /** The origin of base_url. */
  origin(): string;
  /** The same, then the machine's other origins, if all addresses are listened on. */
  origins(): readonly string[];
  /** Accepted in Host besides IP literals. */
  names(): ReadonlySet<string>;
  /** Sets the listening address; the port may be chosen by the system. */
  listensOn(address: ListenAddress): void;
  /** Reads the machine's networks again at the next use. */
  forget(): void;
  stop(): void;
};

/** Interval of reading the machine's name and network interfaces. */
const REFRESH_MS = 60_000;

/** Cached until the settings or the machine change. */
type Known = { readonly from: SettingValues; readonly origin: string; readonly names: ReadonlySet<string> };

/** `settings` returns the same object while unchanged, which is the cache key. */
export function createPublicOrigin(
  { publicUrl, plainHttp }: PanelOptions,
  settings: () => SettingValues,
  timers: Timers,
): Reach {
  let address: ListenAddress = settings();
  const scheme = plainHttp ? 'http' : 'https';
  const outer = publicUrl === undefined ? null : originIn(publicUrl);
  let known: Known | null = null;
  const present = (): Known => {
    const from = settings();
    if (known?.from === from) return known;
    const { publicAddress } = from;
    const origin = outer ?? buildOrigin({ scheme, ...address, publicAddress });
    known = { from, origin, names: new Set(listHostNames(from)) };
    return known;
  };
  const forget = () => {
    known = null;
  };
  return {
    origin: () => present().origin,
    origins() {
      const others = outer === null && isEverywhere(address.host) ? lanAddresses() : [];
      const origins = others.map((publicAddress) => buildOrigin({ scheme, ...address, publicAddress }));
      return [...new Set([present().origin, ...origins])];
    },
    names: () => present().names,
    listensOn(now) {
      address = now;
      forget();
    },
    forget,
    stop: timers.every(REFRESH_MS, forget),
  };
}

/** Names accepted in the Host header besides IP literals: the machine's, the public one, and configured ones. Lower case. */
export function listHostNames(settings: NamedSettings): readonly string[] {
  return [...new Set([...machineNames(), ...publicNames(settings), ...(settings.acme?.names ?? [])])];
}

/** Names configured by the administrator. */
function publicNames({ publicAddress, publicUrl, hostNames }: NamedSettings): readonly string[] {
  const outer = [publicAddress, publicUrl === null ? null : (URL.parse(publicUrl)?.hostname ?? null), ...hostNames];
  return outer
    .filter((name): name is string => name !== null)
    .map((name) => name.toLowerCase().replace(/^\[|\]$/g, ''));
}

const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];

/**
 * Hosts of the local certificate: listened and configured ones, but not the machine's name or other networks, since any client can read the
 * certificate. If all addresses are listened on and none is configured, the host of base_url.
 */
export function certificateHosts(
  listensOn: Iterable<string>,
  settings: NamedSettings,
  lan = lanAddress,
): readonly string[] {
  const hosts = new Set(publicNames(settings));
  for (const host of listensOn) {
    if (isLoopback(host)) for (const name of LOOPBACK) hosts.add(name);
    else if (!isEverywhere(host)) hosts.add(host);
    else for (const name of [...LOOPBACK, settings.publicAddress ?? lan()]) if (name !== null) hosts.add(name);
  }
  return [...hosts];
}

type OriginParts = {
  readonly scheme: 'http' | 'https';
  /** The listening address. */
  readonly host: string;
  readonly port: number;
  /** The configured address; null: the machine's own. */
  readonly publicAddress: string | null;
};

/**
 * The origin `https://<address>:<port>`: the public address if set, otherwise the listening one; if that is all addresses, the LAN address, or
 * 127.0.0.1 without a network.
 */
export function buildOrigin({ scheme, host, port, publicAddress }: OriginParts, lan = lanAddress): string {
  const address = publicAddress ?? (isEverywhere(host) ? (lan() ?? '127.0.0.1') : host);
  const isDefault = port === (scheme === 'https' ? 443 : 80);
  return `${scheme}://${isIPv6(address) ? `[${address}]` : address}${isDefault ? '' : `:${port}`}`;
}

/** Whether listening there means listening on every address. */
export function isEverywhere(host: string): boolean {
  return host === '0.0.0.0' || (isIPv6(host) && /^[0:]+$/.test(host));
}
