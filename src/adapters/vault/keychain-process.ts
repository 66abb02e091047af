// Calls the keychain in a process of its own: its calls block the thread that makes them (2 s where the service hangs), and a process
// cannot exit while one waits for a prompt, so a worker thread would not do.
import { fork } from 'node:child_process';
import { moduleBeside } from '../worker-thread.ts';
import { accessKeychain, type KeychainReply, type KeychainRequest } from './keychain-entry.ts';

/** A process that runs the module of the worker. */
export interface KeychainProcess {
  send(request: KeychainRequest): void;
  onReply(listener: (reply: KeychainReply) => void): void;
  /** `how`: for the log. */
  onEnd(listener: (how: string) => void): void;
  /** At once, also while a thread of it waits for a prompt. */
  kill(): void;
}

export type StartKeychainProcess = (module: URL) => KeychainProcess;

export interface KeychainCall {
  /** Never rejects. */
  readonly reply: Promise<KeychainReply>;
  /** Ends the call and its prompt; null: it runs in this process. */
  readonly kill: (() => void) | null;
}

/** How long a prompt may stay open. */
const PROMPT_MS = 120_000;

/**
 * `start`: null: a process of Node. The binary of the desktop does not run as Node (a fuse): the application starts utility processes instead,
 * and a command in it, which runs before there can be one, makes the call itself.
 */
export function callKeychain(request: KeychainRequest, start: StartKeychainProcess | null): KeychainCall {
  if (start !== null) return callInProcess(request, start);
  return process.versions.electron === undefined
    ? callInProcess(request, startNode)
    : { reply: accessKeychain(request), kill: null };
}

/** The process ends with this one. */
function callInProcess(request: KeychainRequest, start: StartKeychainProcess): KeychainCall {
  const child = start(moduleBeside(import.meta.url, 'keychain-worker'));
  const { promise, resolve } = Promise.withResolvers<KeychainReply>();
  const kill = () => {
    resolve({ outcome: 'locked', reason: 'the keychain did not answer' });
    child.kill();
  };
  const timer = setTimeout(kill, PROMPT_MS).unref();
  process.once('exit', kill);
  child.onReply(resolve);
  child.onEnd((how) => resolve({ outcome: 'absent', reason: `the keychain process ended: ${how}` }));
  child.send(request);
  const reply = promise.finally(() => {
    clearTimeout(timer);
    process.off('exit', kill);
    child.kill();
  });
  return { reply, kill };
}

/** Does not keep this process from ending. */
function startNode(module: URL): KeychainProcess {
  const child = fork(module, { execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  child.unref();
  child.channel?.unref();
  return {
    send: (request) => void child.send(request),
    onReply: (listener) => void child.once('message', listener),
    onEnd(listener) {
      child.once('error', ({ message }) => listener(message));
      child.once('exit', (code, signal) => listener(String(signal ?? code)));
    },
    kill: () => void child.kill('SIGKILL'),
  };
}
