// Stores the desktop's session for its next start: the token is in the system's keychain and nowhere else.
import type { Log } from '../../core/ports/ports.ts';
import type { KeychainReply } from './keychain-entry.ts';
import { callKeychain, type StartKeychainProcess } from './keychain-process.ts';

export interface StoredSession {
  /** null if there is no session, or the keychain does not answer. */
  read(): Promise<string | null>;
  /** False if the keychain did not store it. */
  write(token: string): Promise<boolean>;
  remove(): Promise<void>;
}

/** How long to wait for the keychain, in ms: it may be showing a prompt, which stays open. */
const TIMEOUT_MS = 3000;

type Act = { readonly act: 'read' | 'remove' } | { readonly act: 'write'; readonly value: string };

/** The stored session of one panel. Never rejects: without a keychain the user signs in. */
export function createStoredSession(
  instanceId: string,
  log: Pick<Log, 'warn'>,
  start: StartKeychainProcess | null,
): StoredSession {
  const access = async (act: Act): Promise<KeychainReply> => {
    const { reply } = callKeychain({ instanceId, entry: 'session', ...act }, start);
    const answer = await inTime(reply);
    if ('reason' in answer) log.warn('stored session', { what: act.act, failure: answer.reason });
    return answer;
  };
  return {
    async read() {
      const answer = await access({ act: 'read' });
      return answer.outcome === 'found' ? answer.value : null;
    },
    write: async (token) => (await access({ act: 'write', value: token })).outcome === 'found',
    async remove() {
      await access({ act: 'remove' });
    },
  };
}

async function inTime(reply: Promise<KeychainReply>): Promise<KeychainReply> {
  const { promise: late, resolve } = Promise.withResolvers<KeychainReply>();
  const timer = setTimeout(resolve, TIMEOUT_MS, { outcome: 'locked', reason: 'the keychain did not answer' });
  return Promise.race([reply, late]).finally(() => clearTimeout(timer));
}
