// "Stay signed in on this computer": stores the window's session in the keychain while the setting is on, and resumes it at the start.
import type { Panel } from '../panel/panel.ts';
import type { IpcSession } from './ipc-session.ts';

type PanelWithStore = Pick<Panel, 'storedSession'>;

export interface StaySignedIn {
  /** Resumes the stored session in a panel that was just opened; deletes it if it has ended. */
  resume(panel: PanelWithStore, session: Pick<IpcSession, 'resume'>): Promise<void>;
  /** The window's session started or (null) ended. */
  onSession(token: string | null): void;
  /** Stores the current session, or deletes the stored one. False if the keychain did not store it. */
  enable(isEnabled: boolean): Promise<boolean>;
  /** Waits for the pending requests to the keychain. */
  idle(): Promise<void>;
}

export interface StaySignedInParts {
  isEnabled(): boolean;
  panel(): PanelWithStore | null;
  /** The token of the current session. */
  token(): string | null;
}

export function createStaySignedIn({ isEnabled, panel, token }: StaySignedInParts): StaySignedIn {
  /** One request at a time, so that the latest one decides what is stored. */
  let last: Promise<unknown> = Promise.resolve();
  const enqueue = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done;
    return done;
  };

  return {
    async resume({ storedSession }, session) {
      if (!isEnabled()) return;
      const stored = await enqueue(() => storedSession.read());
      if (stored !== null && !session.resume(stored)) await enqueue(() => storedSession.remove());
    },
    onSession(next) {
      const store = panel()?.storedSession;
      if (store === undefined || !isEnabled()) return;
      void enqueue(async () => {
        if (next === null) await store.remove();
        else await store.write(next);
      });
    },
    async enable(isOn) {
      const store = panel()?.storedSession;
      if (store === undefined) return false;
      const current = token();
      if (isOn) return current !== null && enqueue(() => store.write(current));
      await enqueue(() => store.remove());
      return true;
    },
    async idle() {
      await last;
    },
  };
}
