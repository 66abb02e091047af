// Holds the panel that this application serves: opens it with a way out where it cannot be, looks after it, closes it in good order.
import type { PanelOptions } from '../panel/config.ts';
import type { openPanel, Panel } from '../panel/panel.ts';
import { isRefusal, type Refusal } from '../panel/refusal.ts';
import { createIpcSession, type IpcSession } from './ipc-session.ts';

/** What the person at the screen wants done about a panel that cannot be opened. */
export type WayOut = 'again' | 'another-port' | 'quit';

export interface HostParts {
  readonly options: Omit<PanelOptions, 'port' | 'isInside'>;
  readonly open: typeof openPanel;
  /** What the list of sessions calls this window. */
  readonly device: string;
  /** Asks what to do about a refusal. */
  ask(refusal: Refusal): Promise<WayOut>;
  /** Hears of a panel that is open, at first and after each reopening, before anybody may call it. */
  onOpen(panel: Panel, session: IpcSession): Promise<void>;
  /** A session began or (null) ended in the window. */
  onSession(token: string | null): void;
  /** Hears that the panel stopped answering and what became of it; `error` null: it serves again. */
  onReopened(reason: string, error: unknown): void;
}

export interface Host {
  /** null while none is open. */
  panel(): Panel | null;
  session(): IpcSession | null;
  /** False: the person chose to quit. Rejects with what is no refusal. */
  open(): Promise<boolean>;
  /** Opens the panel anew where it no longer listens or reads, or where that failed the last time; otherwise nothing. */
  lookAfter(): Promise<void>;
  /** Replies finished, writes done, the journal in the database, the lock given back. Called twice it waits for the first. */
  close(): Promise<void>;
}

export function createHost(parts: HostParts): Host {
  let open: { readonly panel: Panel; readonly session: IpcSession } | null = null;
  let port: 'free' | undefined;
  let isClosing = false;
  /** Why the last panel was given up; null while one is open. */
  let lost: string | null = null;
  let reopening: Promise<void> | null = null;

  async function begin(token: string | null): Promise<void> {
    const panel = await parts.open({ ...parts.options, port, isInside: true });
    const session = createIpcSession(panel, { device: parts.device, onSession: parts.onSession });
    if (token !== null) session.resume(token);
    await parts.onOpen(panel, session);
    open = { panel, session };
  }

  async function reopen(reason: string): Promise<void> {
    const former = open;
    const isFirstTry = lost === null;
    open = null;
    lost = reason;
    former?.panel.log.error('the panel is opened anew', { reason });
    await former?.panel.close().catch(() => {});
    try {
      await begin(former?.session.token() ?? null);
      lost = null;
      parts.onReopened(reason, null);
    } catch (error) {
      // Said once, tried again at each look.
      if (isFirstTry) parts.onReopened(reason, error);
    }
  }

  return {
    panel: () => open?.panel ?? null,
    session: () => open?.session ?? null,
    async open() {
      for (;;) {
        try {
          await begin(null);
          return true;
        } catch (error) {
          if (!isRefusal(error)) throw error;
          const wayOut = await parts.ask(error);
          if (wayOut === 'quit') return false;
          if (wayOut === 'another-port') port = 'free';
        }
      }
    },
    async lookAfter() {
      const reason = isClosing ? null : open === null ? lost : troubleOf(open.panel);
      if (reason === null) return;
      reopening ??= reopen(reason).finally(() => {
        reopening = null;
      });
      await reopening;
    },
    async close() {
      isClosing = true;
      await reopening;
      await open?.panel.close();
      open = null;
    },
  };
}

/** Why a panel is not to be left as it is; null where it listens and its database can be read. */
function troubleOf({ address, core }: Panel): string | null {
  if (address() === null) return 'it no longer listened';
  try {
    core.figures();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
