// What goes on at the moment, each as a small service. In memory only: a restart ends it.

import type { BotError } from '../../contract/bot/bot.ts';
import { type BotStatus, FRESH_STATUS } from '../ports/bot.ts';
import type { Engine, EngineUpdateRun } from '../ports/engines.ts';
import type { ListenAddress } from '../ports/host.ts';
import type { ProviderFailure } from '../ports/providers.ts';

/** A listening address that waits to be confirmed from there. A restart reverts it. */
export interface TriedAddress {
  readonly place: ListenAddress;
  readonly tokenHash: string;
  readonly endsAt: number;
}

/** The change of the listening address that waits, at most one. */
export interface AddressTrial {
  get(): TriedAddress | null;
  /** In the place of one that waits. `stop` stops the timer that ends it. */
  begin(tried: TriedAddress, stop: () => void): void;
  end(): void;
}

export function createAddressTrial(): AddressTrial {
  let current: { readonly tried: TriedAddress; readonly stop: () => void } | null = null;
  const end = () => {
    current?.stop();
    current = null;
  };
  return {
    get: () => current?.tried ?? null,
    begin(tried, stop) {
      end();
      current = { tried, stop };
    },
    end,
  };
}

/** The order of a certificate that runs, at most one. */
export interface AcmeOrder {
  isRunning(): boolean;
  /** null: it has ended. */
  set(order: AbortController | null): void;
  abort(): void;
}

export function createAcmeOrder(): AcmeOrder {
  let current: AbortController | null = null;
  return {
    isRunning: () => current !== null,
    set(order) {
      current = order;
    },
    abort: () => current?.abort(),
  };
}

/** What the Telegram bot does. */
export interface BotStatusRecord {
  get(): BotStatus;
  /** Another account, or the same one from the start. */
  reset(): void;
  recordOk(at: number): void;
  /** Keeps the moment since which it fails. */
  recordError(error: BotError, at: number): void;
}

export function createBotStatus(): BotStatusRecord {
  let status = FRESH_STATUS;
  return {
    get: () => status,
    reset() {
      status = FRESH_STATUS;
    },
    recordOk(at) {
      status = { error: null, errorAt: null, okAt: at };
    },
    recordError(error, at) {
      status = { ...status, error, errorAt: status.errorAt ?? at };
    },
  };
}

/** The tokens by which machines can be joined, at most one for each node. */
export interface Invitations {
  /** In the place of the one before. `end` stops what waits for the machine. */
  add(nodeId: number, end: () => void): void;
  /** It has ended. */
  remove(nodeId: number): void;
  endAll(): void;
}

export function createInvitations(): Invitations {
  const ends = new Map<number, () => void>();
  return {
    add(nodeId, end) {
      ends.get(nodeId)?.();
      ends.set(nodeId, end);
    },
    remove(nodeId) {
      ends.delete(nodeId);
    },
    endAll() {
      for (const end of [...ends.values()]) end();
    },
  };
}

/** The engines that the panel is connected to, by node. */
export interface ConnectedEngines {
  get(nodeId: number): Engine | undefined;
  set(nodeId: number, engine: Engine): void;
  delete(nodeId: number): void;
}

export function createConnectedEngines(): ConnectedEngines {
  const engines = new Map<number, Engine>();
  return {
    get: (nodeId) => engines.get(nodeId),
    set(nodeId, engine) {
      engines.set(nodeId, engine);
    },
    delete(nodeId) {
      engines.delete(nodeId);
    },
  };
}

/** The last update of engines since the start. */
export interface EngineUpdates {
  /** null: there was none. */
  get(): EngineUpdateRun | null;
  set(run: EngineUpdateRun): void;
}

export function createEngineUpdates(): EngineUpdates {
  let last: EngineUpdateRun | null = null;
  return {
    get: () => last,
    set(run) {
      last = run;
    },
  };
}

/** Requests to payment providers, by invoice. */
export interface ProviderCalls {
  /** One at a time about an invoice: a second one gets the outcome of the first. */
  share(invoiceId: number, work: () => Promise<ProviderFailure | null>): Promise<ProviderFailure | null>;
}

export function createProviderCalls(): ProviderCalls {
  const running = new Map<number, Promise<ProviderFailure | null>>();
  return {
    share(invoiceId, work) {
      const present = running.get(invoiceId);
      if (present !== undefined) return present;
      const call = work().finally(() => running.delete(invoiceId));
      running.set(invoiceId, call);
      return call;
    },
  };
}
