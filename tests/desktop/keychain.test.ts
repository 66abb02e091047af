// A keychain whose prompt nobody answers: the window is there, the panel serves, and quitting leaves no process.
import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSession, type Session } from '../keychain/session.ts';
import { describeDesktop, openMachine } from './driver.ts';
import { quit, setUp } from './steps.ts';

let session: Session;
beforeEach(async () => {
  session = await openSession({ hanging: 'prompt' });
  await session.startKeyring('open');
  await session.lock();
});
afterEach(() => session[Symbol.asyncDispose]());

/** The processes on the bus of the session, but for those of the session itself. */
function listProcesses(): string[] {
  const { DBUS_SESSION_BUS_ADDRESS: address = '' } = session.env;
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const isOnBus = readFileSync(`/proc/${pid}/environ`, 'utf8').includes(address);
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      return isOnBus && !/gnome-keyring|dbus|hangs\.sh|sleep/.test(command) ? [command] : [];
    } catch {
      return [];
    }
  });
}

describeDesktop('a prompt of the keychain that nobody answers', () => {
  it('delays neither the window nor the end', async () => {
    const { DBUS_SESSION_BUS_ADDRESS, XDG_RUNTIME_DIR } = session.env;
    await using machine = openMachine({
      env: { DBUS_SESSION_BUS_ADDRESS, XDG_RUNTIME_DIR, GATEHOUSE_KEY_FILE: undefined },
    });
    const desktop = await machine.start();
    await setUp(await desktop.page());
    expect(listProcesses().join('\n')).toMatch(/keychain-worker|utility/);
    expect(await quit(desktop)).toBe(0);
    await expect.poll(listProcesses, { timeout: 60_000 }).toEqual([]);
  });
});
