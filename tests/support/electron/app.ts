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

// Where a packaged application has its update feed: there is none, unless the test has made one.
Object.assign(process, { resourcesPath: process.env.STAND_IN_RESOURCES ?? '/nonexistent' });

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
  #isReady = false;

  setName(): void {}
  setAppUserModelId(): void {}
  getVersion = () => '0.1.0';
  getLocale = () => process.env.STAND_IN_LANGUAGE ?? 'en';
  enableSandbox(): void {
    this.beforeReady('enableSandbox');
    this.calls.push('enableSandbox');
  }
  readonly commandLine = {
    appendSwitch: () => this.beforeReady('appendSwitch'),
    hasSwitch: (name: string) => process.argv.some((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`)),
  };
  setAsDefaultProtocolClient = (scheme: string) => void this.calls.push(`setAsDefaultProtocolClient ${scheme}`);
  badge = 0;
  setBadgeCount(count: number): boolean {
    this.badge = count;
    return true;
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
      writeFileSync(`${file}.argv`, JSON.stringify(process.argv));
      if (this.#signal(Number(readFileSync(file, 'utf8')))) return false;
      writeFileSync(file, String(process.pid));
    }
    process.on('SIGUSR2', () => this.emit('second-instance', {}, JSON.parse(readFileSync(`${file}.argv`, 'utf8')), ''));
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

  /** Not at once: what a module does after it has asked for this comes before. */
  async whenReady(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#isReady = true;
  }
  /** For what Electron refuses later. */
  beforeReady(what: string): void {
    if (this.#isReady) throw new Error(`${what} must be called before the application is ready`);
  }
  /** For what Electron refuses until then. */
  afterReady(what: string): void {
    if (!this.#isReady) throw new Error(`${what} cannot be used before the application is ready`);
  }

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
