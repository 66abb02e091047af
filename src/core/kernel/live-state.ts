// Running state, one small service each. In memory only: a restart ends it.

import type { BotError } from '../../contract/bot/bot.ts';
import { type BotStatus, FRESH_STATUS } from '../ports/bot.ts';
import type { Engine, EngineUpdateRun } from '../ports/engines.ts';
import type { ListenAddress } from '../ports/host.ts';
import type { ImportJob } from '../ports/imports.ts';
import type { ProviderFailure } from '../ports/providers.ts';
import { PanelError } from './panel-error.ts';

/** A listening address that awaits confirmation by a request to it. A restart reverts it. */
export interface TriedAddress {
  readonly place: ListenAddress;
  readonly tokenHash: string;
  readonly endsAt: number;
}

/** The pending change of the listening address, at most one. */
export interface AddressTrial {
  get(): TriedAddress | null;
  /** Replaces a pending change. `stop` stops its timer. */
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

/** The import of the panel's pages, and the lock of all imports. */
export interface ImportJobRecord {
  get(): ImportJob;
  begin(phase: 'planning' | 'applying', request: ImportJob['request']): void;
  setDone(done: number): void;
  end(report: NonNullable<ImportJob['report']>): void;
  fail(error: NonNullable<ImportJob['error']>): void;
  reset(): void;
  /** Whether a plan, an import, an undo or the write of a part runs, also of the command line. */
  isBusy(): boolean;
  /** Runs one of them at a time: begins now, or throws PanelError `import_running`. */
  runAlone<T>(work: () => Promise<T>): Promise<T>;
}

const NO_IMPORT: ImportJob = {
  phase: 'empty',
  request: { source: null, nodeId: null },
  done: 0,
  error: null,
  report: null,
};

export function createImportJob(): ImportJobRecord {
  let job = NO_IMPORT;
  let isBusy = false;
  return {
    get: () => job,
    begin(phase, request) {
      job = { ...NO_IMPORT, phase, request };
    },
    setDone(done) {
      job = { ...job, done };
    },
    end(report) {
      job = { ...job, phase: job.phase === 'applying' ? 'applied' : 'planned', report };
    },
    fail(error) {
      job = { ...job, phase: 'failed', error };
    },
    reset() {
      job = NO_IMPORT;
    },
    isBusy: () => isBusy,
    async runAlone(work) {
      if (isBusy) throw new PanelError('import_running');
      isBusy = true;
      try {
        return await work();
      } finally {
        isBusy = false;
      }
    },
  };
}

/** The running certificate order, at most one. */
export interface AcmeOrder {
  isRunning(): boolean;
  /** null: ended. */
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

/** The status of the Telegram bot. */
export interface BotStatusRecord {
  get(): BotStatus;
  /** After another account was set, or the bot was restarted. */
  reset(): void;
  recordOk(at: number): void;
  /** Keeps the time of the first failure. */
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

/** Active join tokens, at most one for each node. */
export interface Invitations {
  /** Replaces the previous one. `end` stops dialling the machine. */
  add(nodeId: number, end: () => void): void;
  /** The token expired or was used. */
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

/** The connected engines, by node. */
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
  /** null: none. */
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
  /** Runs one request per invoice at a time; a concurrent call shares its outcome. */
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
