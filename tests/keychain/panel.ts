// The processes of the suite as a test drives them, and the entry in the keychain as somebody else sees it.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';
import type { Command as DesktopCommand } from './desktop-process.ts';
import type { Session } from './session.ts';
import type { Command as VaultCommand } from './vault-process.ts';

const INSTANCE = 'feedc0ffee01';
const PLACE = 'administrator:totp';
export const SECRET = 'canary-JBSWY3DPEHPK3PXP';
export const OPEN = { do: 'open', place: PLACE } as const;
export const SEAL = { do: 'seal', place: PLACE, secret: SECRET } as const;
export const REFUSED = { error: 'vault_unavailable' };

type EntryAction = 'get' | 'set' | 'delete';

const script = (name: string) => join(import.meta.dirname, name);

export interface Started<Command> {
  /** What `state` said once it was up. */
  readonly first: Record<string, unknown>;
  callProcess(command: Command): Promise<Record<string, unknown>>;
  /** Everything that the process logged so far. */
  log(): string;
  kill(): Promise<void>;
  /** Ends it in an orderly way; its exit code. */
  leave(): Promise<number | null>;
}

export function dataFolder({ folder }: Session): string {
  const path = join(folder, 'data');
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return path;
}

export function startVault(session: Session, keyFile?: string): Promise<Started<VaultCommand>> {
  const args = [dataFolder(session), INSTANCE, ...(keyFile === undefined ? [] : [keyFile])];
  return startProcess(session, 'vault-process.ts', args);
}

/** The desktop's panel with its choices beside the data folder. */
export function startDesktop(session: Session): Promise<Started<DesktopCommand>> {
  return startProcess(session, 'desktop-process.ts', [dataFolder(session), join(session.folder, 'desktop.json')]);
}

async function startProcess<Command>(
  { env }: Session,
  name: string,
  args: readonly string[],
): Promise<Started<Command>> {
  const child = spawn(process.execPath, [script(name), ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`the process ended: ${log}`);
    return JSON.parse(value) as Record<string, unknown>;
  };
  return {
    first: await answer(),
    callProcess(command) {
      child.stdin.write(`${JSON.stringify(command)}\n`);
      return answer();
    },
    log: () => log,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    async leave() {
      child.stdin.write('{"do":"leave"}\n');
      const [code] = await exited;
      return code;
    },
  };
}

/** The entry's text; null if there is none. */
export function entry(session: Session, action: EntryAction, value = '', kind = 'master-key'): string | null {
  return runEntry(session, `${kind}:${INSTANCE}`, action, value);
}

/** The same of any account. */
export function runEntry({ env }: Session, account: string, action: EntryAction, value = ''): string | null {
  const args = [script('entry.ts'), action, account, value];
  return JSON.parse(execFileSync(process.execPath, args, { env, encoding: 'utf8' }));
}

/** A panel has run on this bus and sealed one secret. */
export async function afterFirstRun(session: Session): Promise<void> {
  await session.startKeyring('open');
  const panel = await startVault(session);
  expect(await panel.callProcess(SEAL)).toMatchObject({ state: 'unlocked', rows: 1 });
  expect(await panel.leave()).toBe(0);
}
