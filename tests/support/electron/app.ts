// The stand-in's `app`: paths, the single instance, and the events of quitting.
import { EventEmitter } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** An event that can be prevented. */
export function preventable<Params extends object>(params: Params) {
  const event = {
    ...params,
    defaultPrevented: false,
    preventDefault() {
      event.defaultPrevented = true;
    },
  };
  return event;
}

// Where a packaged application has its update feed: there is none.
Object.assign(process, { resourcesPath: '/nonexistent' });

const home = process.env.HOME ?? '/tmp';
const paths: Record<string, string> = {
  appData: process.env.XDG_CONFIG_HOME ?? join(home, '.config'),
  downloads: join(home, 'Downloads'),
};

class App extends EventEmitter {
  readonly isPackaged = process.env.STAND_IN_PACKED === '1';
  readonly calls: string[] = [];
  /** Run before the process ends, to close the browser. */
  readonly lastSteps: (() => Promise<unknown>)[] = [];
  #login = false;

  setName(): void {}
  setAppUserModelId(): void {}
  getVersion = () => '0.1.0';
  getLocale = () => process.env.STAND_IN_LANGUAGE ?? 'en';
  enableSandbox = () => void this.calls.push('enableSandbox');
  showAboutPanel = () => void this.calls.push('showAboutPanel');
  getLoginItemSettings = () => ({ openAtLogin: this.#login });
  setLoginItemSettings({ openAtLogin }: { openAtLogin: boolean }): void {
    this.#login = openAtLogin;
  }

  getPath(name: string): string {
    const path = paths[name];
    if (path === undefined) throw new Error(`no path ${name}`);
    return path;
  }
  setPath(name: string, path: string): void {
    paths[name] = path;
  }

  /** As in Electron: the first process gets the lock; a second one signals the first and gets false. */
  requestSingleInstanceLock(): boolean {
    const file = join(this.getPath('userData'), 'instance');
    mkdirSync(this.getPath('userData'), { recursive: true });
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
    } catch {
      if (this.#signal(Number(readFileSync(file, 'utf8')))) return false;
      writeFileSync(file, String(process.pid));
    }
    process.on('SIGUSR2', () => this.emit('second-instance', {}, [], ''));
    process.on('exit', () => rmSync(file, { force: true }));
    return true;
  }
  /** False: that process has ended. */
  #signal(pid: number): boolean {
    try {
      process.kill(pid, 'SIGUSR2');
      return true;
    } catch {
      return false;
    }
  }

  async whenReady(): Promise<void> {}

  quit(): void {
    const event = preventable({});
    this.emit('before-quit', event);
    if (!event.defaultPrevented) this.exit(0);
  }
  exit(code = 0): void {
    const steps = this.lastSteps.splice(0).map((step) => step().catch(() => undefined));
    void Promise.all(steps).then(() => process.exit(code));
  }
}

export const app = new App();
