// Stores the desktop's session for its next start: the token is in the system's keychain only.
import type { AsyncEntry } from 'keytar';
import type { Log } from '../../core/ports/ports.ts';

export interface StoredSession {
  /** null if there is no session, or the keychain does not answer. */
  read(): Promise<string | null>;
  /** False if the keychain did not store it. */
  write(token: string): Promise<boolean>;
  remove(): Promise<void>;
}

const SERVICE = 'Gatehouse';
/** Without it the library falls back silently to the kernel's keyring, which a reboot empties. */
const OPTIONS = { linux: { store: 'secret-service' } } as const;
/** How long the keychain may take, in ms: it may be showing a prompt. */
const TIMEOUT_MS = 3000;

/** The stored session of one panel. Never rejects: without a keychain the user signs in. */
export function createStoredSession(instanceId: string, log: Pick<Log, 'warn'>): StoredSession {
  const withEntry = async <T>(what: string, work: (entry: AsyncEntry) => Promise<T>): Promise<T | null> => {
    try {
      const { AsyncEntry: Entry } = await import('keytar');
      return await inTime(work(new Entry(SERVICE, `session:${instanceId}`, OPTIONS)));
    } catch (error) {
      log.warn('stored session', { what, failure: String(error).slice(0, 300) });
      return null;
    }
  };
  return {
    read: async () => (await withEntry('read', (entry) => entry.getPassword())) ?? null,
    write: async (token) => {
      const isStored = await withEntry('write', async (entry) => {
        await entry.setPassword(token);
        // Read back, because some keychains accept a value without storing it.
        return (await entry.getPassword()) === token;
      });
      return isStored === true;
    },
    remove: async () => {
      await withEntry('remove', (entry) => entry.deletePassword());
    },
  };
}

function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('the keychain did not answer')), TIMEOUT_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
