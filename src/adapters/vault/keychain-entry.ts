// The calls into the system's keychain. They can block, prompt and hang: keychain-process.ts decides in which process they run.
import { randomBytes } from 'node:crypto';
import type { AsyncEntry } from 'keytar';

/** `master-key`: of the vault. `session`: of the desktop's window. `probe`: written and deleted to see whether the keychain works. */
type EntryKind = 'master-key' | 'session' | 'probe';

export type KeychainRequest = {
  /** Identifies the panel, and so its entry. */
  readonly instanceId: string;
  readonly entry: Exclude<EntryKind, 'probe'>;
} & (
  | { readonly act: 'read' | 'remove' }
  /** `make` writes where there is no entry yet: a present one is never overwritten. */
  | { readonly act: 'make' | 'write'; readonly value: string }
);

/** `reason` is the system's message for the log; it never contains a secret. */
export type KeychainReply =
  | { readonly outcome: 'found'; readonly value: string }
  /** The keychain works (a trial entry was stored) and has no such entry. */
  | { readonly outcome: 'empty' }
  | { readonly outcome: 'locked' | 'absent'; readonly reason: string };

const SERVICE = 'Gatehouse';
/** Without it the library falls back silently to the kernel's keyring, which a reboot empties. */
const OPTIONS = { linux: { store: 'secret-service' } } as const;

/** Never rejects. */
export async function accessKeychain(request: KeychainRequest): Promise<KeychainReply> {
  let openEntry: (kind: EntryKind) => AsyncEntry;
  try {
    const keyring = await import('keytar');
    openEntry = (kind) => new keyring.AsyncEntry(SERVICE, `${kind}:${request.instanceId}`, OPTIONS);
    openEntry('probe');
  } catch (error) {
    return { outcome: 'absent', reason: describeError(error) };
  }
  try {
    return await run(request, openEntry);
  } catch (error) {
    const reason = describeError(error);
    // On Linux the service may have ended; elsewhere it is part of the system, and only a locked one fails.
    const isGone = process.platform === 'linux' && reason.startsWith('Platform failure');
    return { outcome: isGone ? 'absent' : 'locked', reason };
  }
}

async function run(request: KeychainRequest, openEntry: (kind: EntryKind) => AsyncEntry): Promise<KeychainReply> {
  const entry = openEntry(request.entry);
  if (request.act === 'remove') {
    await entry.deletePassword();
    return { outcome: 'empty' };
  }
  if (request.act === 'write') return store(entry, request.value);
  const found = await entry.getPassword();
  if (found !== null) return { outcome: 'found', value: found };
  // An empty answer proves nothing: a keychain that stores nothing gives it too.
  const probe = openEntry('probe');
  const tried = await store(probe, randomBytes(16).toString('hex'));
  if (tried.outcome !== 'found') return tried;
  await probe.deletePassword();
  return request.act === 'make' ? store(entry, request.value) : { outcome: 'empty' };
}

/** Reads back what is written: some keychains accept a value without storing it. */
async function store(entry: AsyncEntry, value: string): Promise<KeychainReply> {
  await entry.setPassword(value);
  if ((await entry.getPassword()) === value) return { outcome: 'found', value };
  return { outcome: 'absent', reason: 'the keychain does not store what is written' };
}

function describeError(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 300);
}
