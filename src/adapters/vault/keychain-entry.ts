// The calls into the system's keychain. They can block, prompt and hang: keychain.ts decides in which process they run.
import { randomBytes } from 'node:crypto';
import type { AsyncEntry } from 'keytar';

export type KeychainRequest = {
  /** Identifies the panel, and so its entry. */
  readonly instanceId: string;
  /** null: only read. A text: stored if there is no entry yet. */
  readonly value: string | null;
};

/** `reason` is the system's message for the log; it never contains a secret. */
export type KeychainReply =
  | { readonly outcome: 'found'; readonly value: string }
  /** The keychain works (a trial entry was stored) and has no such entry. */
  | { readonly outcome: 'empty' }
  | { readonly outcome: 'locked' | 'absent'; readonly reason: string };

const SERVICE = 'Gatehouse';
/** Without it the library falls back silently to the kernel's keyring, which a reboot empties. */
const OPTIONS = { linux: { store: 'secret-service' } } as const;

/** Reads the entry, or stores it if there is none: a present entry is never overwritten. Never rejects. */
export async function accessKeychain({ instanceId, value }: KeychainRequest): Promise<KeychainReply> {
  let entry: AsyncEntry;
  let probe: AsyncEntry;
  try {
    const keyring = await import('keytar');
    entry = new keyring.AsyncEntry(SERVICE, `master-key:${instanceId}`, OPTIONS);
    probe = new keyring.AsyncEntry(SERVICE, `probe:${instanceId}`, OPTIONS);
  } catch (error) {
    return { outcome: 'absent', reason: describeError(error) };
  }
  try {
    const found = await entry.getPassword();
    if (found !== null) return { outcome: 'found', value: found };
    // An empty answer proves nothing: a keychain that stores nothing returns it too.
    if (!(await stores(probe, randomBytes(16).toString('hex'), true))) return storesNothing();
    if (value === null) return { outcome: 'empty' };
    return (await stores(entry, value, false)) ? { outcome: 'found', value } : storesNothing();
  } catch (error) {
    const reason = describeError(error);
    // On Linux the service may have ended; elsewhere it is part of the system, and only a locked one fails.
    const isGone = process.platform === 'linux' && reason.startsWith('Platform failure');
    return { outcome: isGone ? 'absent' : 'locked', reason };
  }
}

/** Whether a written value can be read back. */
async function stores(entry: AsyncEntry, value: string, isTrial: boolean): Promise<boolean> {
  await entry.setPassword(value);
  const isStored = (await entry.getPassword()) === value;
  if (isTrial) await entry.deletePassword();
  return isStored;
}

function storesNothing(): KeychainReply {
  return { outcome: 'absent', reason: 'the keychain does not store what is written' };
}

function describeError(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 300);
}
