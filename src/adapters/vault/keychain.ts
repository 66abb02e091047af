// The system's keychain as the location of the master key. Its calls run in a process of their own: they block the thread that makes
// them (2 s where the service hangs), and a process cannot exit while one waits for a prompt, so a worker thread would not do.
import { fork } from 'node:child_process';
import { moduleBeside } from '../worker-thread.ts';
import { accessKeychain, type KeychainReply, type KeychainRequest } from './keychain-entry.ts';
import { type Found, formatMasterKey, type KeyLocation, parseMasterKey } from './master-key.ts';

/** How long a prompt may stay open, in ms. */
const PROMPT_MS = 120_000;
const BACKENDS: Partial<Record<NodeJS.Platform, string>> = { darwin: 'keychain', win32: 'credential-manager' };

export function keychainLocation(instanceId: string): KeyLocation {
  // The desktop's binary cannot run as Node (a fuse), so the call is made in its main process; its user can answer the prompt.
  const isInShell = process.versions.electron !== undefined;
  let kill: (() => void) | null = null;
  const callKeychain = async (value: string | null) => {
    const request = { instanceId, value };
    if (isInShell) return parseReply(await accessKeychain(request));
    const call = callInProcess(request);
    kill = call.kill;
    return parseReply(await call.reply);
  };
  return {
    backend: BACKENDS[process.platform] ?? 'secret-service',
    opened: 'unlocked',
    missing: 'deleted',
    other: 'changed',
    restoresKey: true,
    find: () => callKeychain(null),
    make: (key) => callKeychain(formatMasterKey(key)),
    abort() {
      kill?.();
      return kill !== null;
    },
  };
}

function parseReply(reply: KeychainReply): Found {
  if (reply.outcome === 'empty') return { kind: 'empty' };
  if (reply.outcome !== 'found') {
    return { kind: 'unusable', state: reply.outcome, reason: reply.outcome, detail: reply.reason };
  }
  const key = parseMasterKey(reply.value);
  if (key) return { kind: 'key', key };
  return { kind: 'unusable', state: 'changed', reason: 'changed', detail: 'the entry holds no master key' };
}

type Call = { readonly reply: Promise<KeychainReply>; kill(): void };

/** The reply never rejects. The child process ends with this one and does not prevent its exit. */
function callInProcess(request: KeychainRequest): Call {
  const child = fork(moduleBeside(import.meta.url, 'keychain-worker'), {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const kill = () => {
    child.kill('SIGKILL');
  };
  const timer = setTimeout(kill, PROMPT_MS).unref();
  process.once('exit', kill);
  child.unref();
  child.channel?.unref();
  const { promise, resolve } = Promise.withResolvers<KeychainReply>();
  child.once('message', (reply: KeychainReply) => resolve(reply));
  child.once('error', ({ message }) => resolve({ outcome: 'absent', reason: message }));
  child.once('exit', (code, signal) => {
    if (signal === 'SIGKILL') resolve({ outcome: 'locked', reason: 'the keychain did not answer' });
    else resolve({ outcome: 'absent', reason: `the keychain process ended with ${signal ?? code}` });
  });
  child.send(request);
  const reply = promise.finally(() => {
    clearTimeout(timer);
    process.off('exit', kill);
    kill();
  });
  return { reply, kill };
}
