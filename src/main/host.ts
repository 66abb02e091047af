// Runs the panel of the desktop application: opens it, asks what to do if it cannot be opened, reopens it when it fails, closes it.

import { isRefusal, type Refusal } from '../adapters/refusal.ts';
import type { Log } from '../core/ports/ports.ts';
import type { PanelOptions } from '../panel/config.ts';
import type { openPanel, Panel } from '../panel/panel.ts';
import { createIpcSession, type IpcSession } from './ipc-session.ts';

/** What to do about a panel that cannot be opened. */
export type StartChoice = 'retry' | 'another-port' | 'quit';

/** Why a panel was opened again: it did not listen, its database could not be read, it had been closed for an update that was not installed. */
export type ReopenReason = 'socket' | 'database' | 'update';

export interface HostParts {
  readonly options: Omit<PanelOptions, 'port' | 'isInside'>;
  readonly open: typeof openPanel;
  /** The name of this window in the list of sessions. */
  readonly device: string;
  /** Asks what to do about a refusal. */
  ask(refusal: Refusal): Promise<StartChoice>;
  /** The panel is open, for the first time or again, and accepts no calls yet. */
  onOpen(panel: Panel, session: IpcSession): Promise<void>;
  /** A session of the window started or (null) ended. */
  onSession(token: string | null): void;
  /** The panel was reopened; `error`: why that failed, null if it works. */
  onReopened(reason: ReopenReason, error: unknown): void;
}

export interface Host {
  /** null while none is open. */
  panel(): Panel | null;
  session(): IpcSession | null;
  /** That of the open panel, or of the last one: what fails after its end is logged too. null: none was opened. */
  log(): Log | null;
  /** False: the user chose to quit. Rejects with any error that is not a refusal. */
  open(): Promise<boolean>;
  /** Resolves when the panel was opened for the first time. */
  whenOpened(): Promise<void>;
  /** Reopens a panel that no longer listens or cannot read its database, or that could not be reopened before; otherwise does nothing. */
  check(): Promise<void>;
  /** Opens the panel again after `close`, with its session. False: it cannot be opened now, which is reported, and retried at every check. */
  resume(reason: ReopenReason): Promise<boolean>;
  /** Finishes replies and writes, checkpoints the journal, releases the lock. A second call waits for the first. */
  close(): Promise<void>;
}

export function createHost(parts: HostParts): Host {
  let open: { readonly panel: Panel; readonly session: IpcSession } | null = null;
  let port: 'free' | undefined;
  let log: Log | null = null;
  let isClosing = false;
  let closing: Promise<void> | null = null;
  /** Why the last panel was closed; null while one is open. */
  let fault: ReopenReason | null = null;
  let reopening: Promise<void> | null = null;
  /** Of the session when the panel was last closed. */
  let lastToken: string | null = null;
  const opened = Promise.withResolvers<void>();

  async function start(token: string | null): Promise<void> {
    const panel = await parts.open({ ...parts.options, port, isInside: true });
    log = panel.log;
    const session = createIpcSession(panel, { device: parts.device, onSession: parts.onSession });
    if (token !== null) session.resume(token);
    await parts.onOpen(panel, session);
    open = { panel, session };
  }

  async function reopen(reason: ReopenReason): Promise<void> {
    const former = open;
    const isFirstAttempt = fault === null;
    open = null;
    fault = reason;
    if (former !== null) {
      lastToken = former.session.token();
      former.panel.log.error('panel is reopened', { reason });
      // It logs by itself what fails.
      await former.panel.close().catch(() => {});
    }
    try {
      await start(lastToken);
      fault = null;
      parts.onReopened(reason, null);
    } catch (error) {
      // Reported once, retried at every check.
      if (isFirstAttempt) parts.onReopened(reason, error);
    }
  }

  /** A second call waits for the first. */
  function reopenOnce(reason: ReopenReason): Promise<void> {
    reopening ??= reopen(reason).finally(() => {
      reopening = null;
    });
    return reopening;
  }

  /** From its first moment on nothing uses the panel any more. */
  async function close(): Promise<void> {
    isClosing = true;
    await reopening;
    if (open === null) return;
    const { panel, session } = open;
    lastToken = session.token();
    open = null;
    await panel.close();
  }

  return {
    panel: () => open?.panel ?? null,
    session: () => open?.session ?? null,
    log: () => log,
    async open() {
      for (;;) {
        try {
          await start(null);
          opened.resolve();
          return true;
        } catch (error) {
          if (!isRefusal(error)) throw error;
          const choice = await parts.ask(error);
          if (choice === 'quit') return false;
          if (choice === 'another-port') port = 'free';
        }
      }
    },
    whenOpened: () => opened.promise,
    async check() {
      const reason = isClosing ? null : open === null ? fault : findFault(open.panel);
      if (reason !== null) await reopenOnce(reason);
    },
    async resume(reason) {
      isClosing = false;
      await reopenOnce(reason);
      return open !== null;
    },
    close() {
      closing ??= close().finally(() => {
        closing = null;
      });
      return closing;
    },
  };
}

/** Why a panel must be reopened; null if it listens and its database can be read. */
function findFault({ address, core, log }: Panel): ReopenReason | null {
  if (address() === null) return 'socket';
  try {
    core.figures();
    return null;
  } catch (error) {
    log.error('database not readable', { error });
    return 'database';
  }
}
