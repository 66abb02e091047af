// "Stay signed in on this computer": the window's session in the keychain, as long as the person wants it and no longer than it lasts.
import type { Panel } from '../panel/panel.ts';
import type { IpcSession } from './ipc-session.ts';

type Keeping = Pick<Panel, 'keptSession'>;

export interface SessionKeeper {
  /** Goes on with the kept session in a panel that was just opened, where it has not ended. */
  resume(panel: Keeping, session: Pick<IpcSession, 'resume'>): Promise<void>;
  /** The window's session began or (null) ended. */
  changed(token: string | null): void;
  /** Begins to keep it, or forgets it. False where the keychain does not keep it. */
  stay(stays: boolean): Promise<boolean>;
  /** Waits for what the keychain was asked last. */
  settled(): Promise<void>;
}

export interface SessionKeeperParts {
  isWanted(): boolean;
  panel(): Keeping | null;
  /** The token of now. */
  token(): string | null;
}

export function createSessionKeeper({ isWanted, panel, token }: SessionKeeperParts): SessionKeeper {
  /** One after the other, so that what was asked last is what is kept. */
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done;
    return done;
  };

  return {
    async resume(opened, session) {
      if (!isWanted()) return;
      const kept = await inTurn(() => opened.keptSession.find());
      // What ended meanwhile is of no use to anybody.
      if (kept !== null && !session.resume(kept)) await inTurn(() => opened.keptSession.forget());
    },
    changed(next) {
      const keeping = panel()?.keptSession;
      if (keeping === undefined || !isWanted()) return;
      void inTurn(async () => {
        if (next === null) await keeping.forget();
        else await keeping.keep(next);
      });
    },
    async stay(stays) {
      const keeping = panel()?.keptSession;
      if (keeping === undefined) return false;
      const current = token();
      if (stays) return current !== null && inTurn(() => keeping.keep(current));
      await inTurn(() => keeping.forget());
      return true;
    },
    async settled() {
      await last;
    },
  };
}
