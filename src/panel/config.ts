// The options of a start and their validation.
import { isIP } from 'node:net';
import { isDnsName } from '../adapters/addresses.ts';
import { refusal } from '../adapters/refusal.ts';
import type { StartKeychainProcess } from '../adapters/vault/keychain-process.ts';
import type { OpenEngine } from '../core/ports/engines.ts';
import type { SettingValues } from '../core/ports/settings.ts';
import type { openDemoShop } from '../demo/index.ts';

/** Options of a start, for this run only; omitted ones come from the settings. */
export type PanelOptions = {
  /** Absolute path of the data folder. */
  readonly folder: string;
  /** The address to listen on. */
  readonly host?: string | undefined;
  /**
   * 0: any free port, for this run only. `free`: the next free port after the stored one, for this run only. The port of the first start is stored.
   */
  readonly port?: number | 'free' | undefined;
  /** Plain HTTP, behind a reverse proxy on this machine. */
  readonly plainHttp?: boolean | undefined;
  /** Requests a minute per key; 0: unlimited. */
  readonly rateLimit?: number | undefined;
  /** Public scheme, host and port of base_url and links. */
  readonly publicUrl?: string | undefined;
  /** Addresses and CIDR ranges of proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** Absolute path of the master key file, for machines without a keychain. */
  readonly keyFile?: string | undefined;
  /** Without `keyFile` and without a keychain, the panel creates its own key file. */
  readonly makesKeyFile?: boolean | undefined;
  /** Starts the process that calls the keychain, where this program does not run as Node. */
  readonly startKeychain?: StartKeychainProcess | undefined;
  /** Log destination; default: a file in the data folder. */
  readonly log?: 'stderr' | undefined;
  /** Restarts this panel by its launcher, on request of a command. */
  readonly launcher?: { restart(): void } | undefined;
  /** The panel door has no socket: the host opens it for its window by `Panel.openInside`. */
  readonly isInside?: boolean | undefined;
  /** Replaces the engines of nodes, for a demonstration. */
  readonly openEngine?: OpenEngine | undefined;
  /** The test provider and its shop: for a demonstration. */
  readonly openDemoShop?: typeof openDemoShop | undefined;
  /** Poll interval of engine counters; shorter in tests only. */
  readonly pollEveryMs?: number | undefined;
  /** Time for confirming a new address; shorter in tests only. */
  readonly addressTrialMs?: number | undefined;
  /** log2 of scrypt's N for passwords; lowered by tests only, and on no command line. */
  readonly passwordCost?: number | undefined;
};

/** Throws a refusal `address` for invalid options. */
export function checkOptions({ host, port, publicUrl }: PanelOptions): void {
  if (host !== undefined && isIP(host) === 0 && !isDnsName(host)) {
    throw refusal(
      'address',
      `${host} is not an address to listen on. Use an IP address: 127.0.0.1, or 0.0.0.0 for all.`,
    );
  }
  if (typeof port === 'number' && (!Number.isInteger(port) || port < 0 || port > 65_535)) {
    throw refusal('address', `${port} is not a port. Use 1 to 65535, or 0 for any free one.`);
  }
  if (publicUrl !== undefined && originIn(publicUrl) === null) {
    throw refusal(
      'address',
      `${publicUrl} is not a public address. Use https://name or https://name:port, without a path.`,
    );
  }
}

/** Plain HTTP is limited to loopback: keys and links would be readable in the network. */
export function checkPlainHttp(isPlain: boolean, host: string): void {
  if (isPlain && !isLoopback(host)) {
    throw refusal('address', `--http is for a reverse proxy on this machine: it needs --host 127.0.0.1, not ${host}.`);
  }
}

/** Settings that are overridden by the options of this run. */
export function buildOverrides(options: PanelOptions): Partial<SettingValues> {
  const { rateLimit, publicUrl, trustedProxies } = options;
  const origin = publicUrl === undefined ? null : originIn(publicUrl);
  return {
    ...(rateLimit !== undefined && { rateLimit }),
    ...(origin !== null && { publicUrl: origin }),
    ...(trustedProxies !== undefined && { trustedProxies }),
  };
}

/** Scheme, host and port of a URL without other parts; null for any other text. */
export function originIn(text: string): string | null {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return null;
  return url.href === `${url.origin}/` ? url.origin : null;
}

export function isLoopback(host: string): boolean {
  if (isIP(host) === 0) return host.toLowerCase() === 'localhost';
  return host.startsWith('127.') || /^[0:]+1$/.test(host);
}
