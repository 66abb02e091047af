// The stand-in's utility processes: each is a Node with Electron's port to its parent.
import { type ChildProcess, fork } from 'node:child_process';
import { EventEmitter } from 'node:events';

class UtilityProcess extends EventEmitter {
  readonly #child: ChildProcess;
  constructor(path: string) {
    super();
    const shim = new URL('./parent-port.ts', import.meta.url).href;
    this.#child = fork(path, { execArgv: ['--import', shim], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    this.#child.on('message', (message) => this.emit('message', message));
    this.#child.on('exit', (code) => this.emit('exit', code ?? 1));
    // As in Electron, they end with the application and do not keep it.
    this.#child.unref();
    this.#child.channel?.unref();
    process.on('exit', () => this.#child.kill('SIGKILL'));
  }
  get pid(): number | undefined {
    return this.#child.exitCode === null && this.#child.signalCode === null ? this.#child.pid : undefined;
  }
  postMessage(message: object): void {
    this.#child.send(message);
  }
  kill(): boolean {
    return this.#child.kill();
  }
}

export const utilityProcess = { fork: (path: string) => new UtilityProcess(path) };
