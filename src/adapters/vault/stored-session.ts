// A session that is kept over a restart of the desktop: its token in the system's keychain, and nowhere else.
import type { AsyncEntry } from 'keytar';
import type { Log } from '../../core/ports/ports.ts';

export interface KeptSession {
  /** null where there is none, or the keychain does not answer. */
  find(): Promise<string | null>;
  /** False where the keychain does not keep it. */
  keep(token: string): Promise<boolean>;
  forget(): Promise<void>;
}

const SERVICE = 'Gatehouse';
/** Without it the library falls back silently to the kernel's keyring, which a reboot empties. */
const OPTIONS = { linux: { store: 'secret-service' } } as const;
/** How long a prompt of the keychain may hold up what asks. */
const PATIENCE_MS = 3000;

/** The session of one panel on this computer. Nothing rejects: without a keychain one signs in as ever. */
export function createKeptSession(instanceId: string, log: Pick<Log, 'warn'>): KeptSession {
  const ask = async <T>(what: string, work: (entry: AsyncEntry) => Promise<T>): Promise<T | null> => {
    try {
      const { AsyncEntry: Entry } = await import('keytar');
      return await inTime(work(new Entry(SERVICE, `session:${instanceId}`, OPTIONS)));
    } catch (error) {
      log.warn('kept session', { what, failure: String(error).slice(0, 300) });
      return null;
    }
  };
  return {
    find: async () => (await ask('find', (entry) => entry.getPassword())) ?? null,
    keep: async (token) => {
      const kept = await ask('keep', async (entry) => {
        await entry.setPassword(token);
        // That it was written proves nothing: some keychains keep nothing.
        return (await entry.getPassword()) === token;
      });
      return kept === true;
    },
    forget: async () => {
      await ask('forget', (entry) => entry.deletePassword());
    },
  };
}

function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('the keychain did not answer')), PATIENCE_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
