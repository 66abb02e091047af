// By which addresses and names the panel is reached: a change of the settings holds at once, the machine's networks are read every minute.
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
  /** How base_url begins. */
  origin(): string;
  /** That, then the same with this machine's other addresses, where all are listened on. */
  origins(): readonly string[];
  /** Accepted in Host besides IP literals. */
  names(): ReadonlySet<string>;
  /** Sets where the panel listens, which may be a port that the system chose. */
  listensOn(address: ListenAddress): void;
  /** Reads the machine's networks again at the next use. */
  forget(): void;
  stop(): void;
};

/** How often the machine's name and network interfaces are read. */
const REFRESH_MS = 60_000;

/** What is known until the settings or the machine change. */
type Known = { readonly from: SettingValues; readonly origin: string; readonly names: ReadonlySet<string> };

/** `settings` returns the same object as long as they are the same: what follows from it is worked out once. */
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

/** Names accepted in the Host header besides IP literals: the machine's, the public one, those added. Lower case. */
export function listHostNames(settings: NamedSettings): readonly string[] {
  return [...new Set([...machineNames(), ...publicNames(settings), ...(settings.acme?.names ?? [])])];
}

/** What the administrator has set. */
function publicNames({ publicAddress, publicUrl, hostNames }: NamedSettings): readonly string[] {
  const outer = [publicAddress, publicUrl === null ? null : (URL.parse(publicUrl)?.hostname ?? null), ...hostNames];
  return outer
    .filter((name): name is string => name !== null)
    .map((name) => name.toLowerCase().replace(/^\[|\]$/g, ''));
}

const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];

/**
 * What the local certificate is for: what is listened on and what the administrator has set, never the machine's name or its other
 * networks, since anyone who connects can read it. Where all addresses are listened on and none is set, the one of base_url.
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
  /** What is listened on. */
  readonly host: string;
  readonly port: number;
  /** The address that the administrator set; null: the machine's own. */
  readonly publicAddress: string | null;
};

/**
 * How the panel's addresses begin, `https://<address>:<port>`: the public address if set, otherwise the one listened on; where that is
 * all addresses, the LAN's, and without a network 127.0.0.1.
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
