// A keychain whose prompt nobody answers: the window is there, the panel serves, and quitting leaves no process.
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { openSession, type Session } from '../keychain/session.ts';
import { describeDesktop, openMachine } from './driver.ts';
import { isRunning, listDescendants } from './processes.ts';
import { quit, setUp } from './steps.ts';

const missing = process.platform === 'linux' ? inject('noKeychain') : 'only on Linux';

describeDesktop('a prompt of the keychain that nobody answers', () => {
  let session: Session;
  beforeEach(async () => {
    session = await openSession({ hanging: 'prompt' });
    await session.startKeyring('open');
    await session.lock();
  });
  afterEach(() => session[Symbol.asyncDispose]());

  it.skipIf(missing !== null)(`delays neither the window nor the end${missing ? ` (${missing})` : ''}`, async () => {
    const { DBUS_SESSION_BUS_ADDRESS, XDG_RUNTIME_DIR } = session.env;
    await using machine = openMachine({
      env: { DBUS_SESSION_BUS_ADDRESS, XDG_RUNTIME_DIR, GATEHOUSE_KEY_FILE: undefined },
    });
    const desktop = await machine.start();
    await setUp(await desktop.page());
    // As Chromium names a utility process that runs Node.
    const waiting = listDescendants(desktop.pid, inject('isElectronReal') ? 'NodeService' : 'keychain-worker');
    expect(waiting).toHaveLength(1);
    expect(await quit(desktop)).toBe(0);
    await expect.poll(() => waiting.filter(isRunning)).toEqual([]);
  });
});
