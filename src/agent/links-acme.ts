// Certificates by ACME for links that a node's machine serves: the panel's order code, with its state in the machine's folder.
//
// links-acme.json: the state of orders; acme-account-….pem (0600): the account at each authority.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { validateImport } from '../adapters/certificates/import.ts';
import { nodeCrypto } from '../adapters/crypto.ts';
import { readIfThere, writePrivateFile } from '../adapters/private-file.ts';
import { setUpAcme } from '../contract/settings/acme.ts';
import {
  type AcmeClient,
  type AcmeSettings,
  type AcmeState,
  type IssuedByAcme,
  NO_ORDERS,
} from '../core/ports/acme.ts';
import type { Clock, Log, Timers } from '../core/ports/ports.ts';
import { type AcmePlace, advanceOrders, hasOrdered } from '../core/settings/acme-orders.ts';
import { nextFreeMoment, type Span } from '../domain/acme-schedule.ts';
import { parseOwnJson } from '../domain/own-json.ts';

const STATE = 'links-acme.json';
const CHECK_MS = 60_000;

/** The command's arguments, validated as in the panel's own operation. */
export const acmeRequest = setUpAcme.input.pick({
  directory_url: true,
  email: true,
  names: true,
  challenge: true,
  http_port: true,
});
export type AcmeRequest = z.output<typeof acmeRequest>;

export function readAcmeState(folder: string): AcmeState {
  const text = readIfThere(join(folder, STATE));
  try {
    return text === null ? NO_ORDERS : { ...NO_ORDERS, ...(parseOwnJson(text) as AcmeState) };
  } catch {
    // Orders start anew, with the existing account.
    return NO_ORDERS;
  }
}

/** Forgets orders and certificate; the accounts stay. */
export function dropOrders(folder: string): void {
  rmSync(join(folder, STATE), { force: true });
}

function saveState(folder: string, state: AcmeState): void {
  writePrivateFile(join(folder, STATE), JSON.stringify(state));
}

function toAcmeSettings(wanted: AcmeRequest): AcmeSettings {
  const { directory_url: directoryUrl, email, names, challenge, http_port: httpPort } = wanted;
  return { directoryUrl, email, names, challenge, httpPort, targets: ['links'] };
}

/** An administrator requested the order: the next one starts as soon as the authority's rate limits allow. */
export function requestOrder(folder: string, wanted: AcmeRequest, chain: string | null, now: number): void {
  const state = readAcmeState(folder);
  const renewAt = hasOrdered(toAcmeSettings(wanted), state, chain) ? state.renewAt : null;
  const notBefore = nextFreeMoment(state.orders, now);
  saveState(folder, { ...state, failures: 0, failure: null, notBefore, renewAt, window: null, polledAt: null });
}

interface Parts {
  readonly folder: string;
  readonly wanted: AcmeRequest;
  readonly client: AcmeClient;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** The request that the folder has now; null: none. */
  present(): AcmeRequest | null;
  /** PEM; null: no certificate by ACME yet. */
  chain(): string | null;
  serve(issued: IssuedByAcme): Span;
}

/** Orders and renews until the returned function is called; an order that is running then is not stored. */
export function startOrdering(parts: Parts): () => void {
  const { folder, wanted, client, clock, timers, log } = parts;
  const settings = toAcmeSettings(wanted);
  let running: AbortController | null = null;
  let isBusy = false;
  let isEnded = false;
  const place: AcmePlace = {
    client,
    clock,
    crypto: nodeCrypto,
    log,
    settings: () => settings,
    state: () => readAcmeState(folder),
    async save(_settings, next, news) {
      // The command may have stored another request meanwhile, which applies from the next start.
      if (isEnded || JSON.stringify(parts.present()) !== JSON.stringify(wanted)) return null;
      const state = next(readAcmeState(folder), clock.now());
      saveState(folder, state);
      const notice = news?.(state);
      if (notice?.kind === 'ending') {
        const until = new Date(notice.validity.to).toISOString();
        log.error('certificate of links was not renewed and ends soon', { until, code: state.failure?.code });
      }
      return state;
    },
    issuedChain: parts.chain,
    findCertificateFault({ chain, key }) {
      const validation = validateImport(chain, key, clock.now());
      return 'key' in validation ? null : (validation[0]?.message ?? 'it cannot be served');
    },
    install: parts.serve,
    setRunning(order) {
      running = order;
    },
  };
  async function advance(): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    try {
      await advanceOrders(place);
    } catch (error) {
      log.error('certificate of links not ordered', { error: String(error) });
    } finally {
      isBusy = false;
    }
  }
  const stop = timers.every(CHECK_MS, () => void advance());
  void advance();
  return () => {
    isEnded = true;
    stop();
    running?.abort();
  };
}
