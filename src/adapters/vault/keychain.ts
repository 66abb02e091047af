// The system's keychain as a place of the master key. Its calls run in a process of their own: they block the thread that makes
// them (2 s where the service hangs), and one that waits for a prompt keeps its process from ending.
import { fork } from 'node:child_process';
import type { Found, KeyPlace } from './key-location.ts';
import { askKeychain, type KeychainReply, type KeychainRequest } from './keychain-entry.ts';
import { formatMasterKey, parseMasterKey } from './master-key.ts';

/** How long a prompt may stay open before it is taken away. */
const PROMPT_MS = 120_000;
/** Sources and bundle name it alike; which of the two runs is told by this module's own name. */
const MODULE = import.meta.url.endsWith('.ts') ? './keychain-worker.ts' : './keychain-worker.js';
const BACKENDS: Partial<Record<NodeJS.Platform, string>> = { darwin: 'keychain', win32: 'credential-manager' };

export function keychainPlace(instanceId: string): KeyPlace {
  // The desktop's binary is not to run as Node: there the call is made in the shell, beside a person who can answer.
  const isInShell = process.versions.electron !== undefined;
  let kill: (() => void) | null = null;
  const ask = async (value: string | null) => {
    const request = { instanceId, value };
    if (isInShell) return foundIn(await askKeychain(request));
    const asked = askElsewhere(request);
    kill = asked.kill;
    return foundIn(await asked.reply);
  };
  return {
    backend: BACKENDS[process.platform] ?? 'secret-service',
    opened: 'unlocked',
    missing: 'deleted',
    other: 'changed',
    takesBack: true,
    find: () => ask(null),
    make: (key) => ask(formatMasterKey(key)),
    giveUp() {
      kill?.();
      return kill !== null;
    },
  };
}

function foundIn(reply: KeychainReply): Found {
  if (reply.outcome === 'empty') return { kind: 'empty' };
  if (reply.outcome !== 'found') {
    return { kind: 'unusable', state: reply.outcome, reason: reply.outcome, detail: reply.reason };
  }
  const key = parseMasterKey(reply.value);
  if (key) return { kind: 'key', key };
  return { kind: 'unusable', state: 'changed', reason: 'changed', detail: 'the entry holds no master key' };
}

type Asked = { readonly reply: Promise<KeychainReply>; kill(): void };

/** The reply never rejects. The process neither keeps this one alive nor outlives it. */
function askElsewhere(request: KeychainRequest): Asked {
  const child = fork(new URL(MODULE, import.meta.url), { execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
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
