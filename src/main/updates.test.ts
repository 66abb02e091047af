// Updates: which installations have them, the confirmation before each step, and the interval of checks.
import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { hostTexts } from '../i18n/host.ts';
import {
  createUpdates,
  FIRST_CHECK_MS,
  findUpdater,
  INSTALL_MS,
  INTERVAL_MS,
  type Question,
  type Updater,
} from './updates.ts';

const t = hostTexts('en', 'desktop');

/** An updater that finds `version` (null: nothing newer; an error: the check fails), and the answers of the user in order. */
function setUp({
  version,
  answers = [],
  install = () => {},
}: {
  version: string | null | Error;
  answers?: number[];
  /** What the installer does. */
  install?: (updater: EventEmitter) => void;
}) {
  const done: string[] = [];
  const questions: Question[] = [];
  let skipped: string | null = null;
  const updater = Object.assign(new EventEmitter(), {
    autoDownload: true,
    autoInstallOnAppQuit: false,
    allowDowngrade: true,
    disableWebInstaller: false,
    async checkForUpdates() {
      done.push('check');
      if (version instanceof Error) throw version;
      return { isUpdateAvailable: version !== null, updateInfo: { version: version ?? '0.1.0' } };
    },
    async downloadUpdate() {
      done.push('download');
      return [];
    },
    quitAndInstall() {
      done.push('install');
      install(updater);
    },
  });
  const updates = createUpdates({
    updater: updater as unknown as Updater,
    texts: () => t,
    async ask(question) {
      questions.push(question);
      return answers.shift() ?? question.buttons.length - 1;
    },
    skipped: () => skipped,
    skip: (declined) => {
      skipped = declined;
    },
    close: async () => void done.push('close'),
    async reopen() {
      done.push('reopen');
      return true;
    },
    log: (message) => void done.push(message),
  });
  return { updates, updater, done, questions, skipped: () => skipped };
}

describe('a newer version', () => {
  it('is downloaded only after a confirmation, and installed after the panel is closed', async () => {
    const { updates, updater, done, questions } = setUp({ version: '2.0.0', answers: [0, 0] });
    expect(updater).toMatchObject({ autoDownload: false, allowDowngrade: false, disableWebInstaller: true });
    // The installer ends the application.
    void updates.check();
    await expect.poll(() => done).toEqual(['check', 'download', 'installing an update', 'close', 'install']);
    expect(questions.map(({ message }) => message)).toEqual([
      'Gatehouse 2.0.0 is available',
      'Gatehouse 2.0.0 is ready',
    ]);
  });

  it('is installed when the application quits, if the user chooses so', async () => {
    const { updates, updater, done } = setUp({ version: '2.0.0', answers: [0, 1] });
    await updates.check();
    expect(done).toEqual(['check', 'download']);
    expect(updater.autoInstallOnAppQuit).toBe(true);
  });

  it('is declined by closing the dialog, and offered again later', async () => {
    const { updates, done, skipped } = setUp({ version: '2.0.0' });
    await updates.check();
    expect(done).toEqual(['check']);
    expect(skipped()).toBeNull();
  });

  it('that was skipped is offered on request only', async () => {
    vi.useFakeTimers();
    const { updates, questions, skipped } = setUp({ version: '2.0.0', answers: [1] });
    await updates.check();
    expect(skipped()).toBe('2.0.0');
    updates.start();
    await vi.advanceTimersByTimeAsync(FIRST_CHECK_MS);
    expect(questions).toHaveLength(1);
    await updates.check();
    expect(questions).toHaveLength(2);
    updates.stop();
    vi.useRealTimers();
  });
});

describe('an installer that does not start', () => {
  const notInstalled = [
    'check',
    'download',
    'installing an update',
    'close',
    'install',
    'reopen',
    'update not installed',
  ];
  const cancelled = new Error('Command pkexec exited with code 126\n  at a stack');

  it.each([
    ['reports it at once', (updater: EventEmitter) => void updater.emit('error', cancelled)],
    ['reports it later', (updater: EventEmitter) => void setImmediate(() => updater.emit('error', cancelled))],
    [
      'throws',
      () => {
        throw cancelled;
      },
    ],
  ])('and %s: the panel is reopened, and the user is informed', async (_how, install) => {
    const { updates, updater, done, questions } = setUp({ version: '2.0.0', answers: [0, 0], install });
    await updates.check();
    expect(done).toEqual(notInstalled);
    expect(questions.at(-1)?.message).toBe('Gatehouse 2.0.0 was not installed');
    expect(questions.at(-1)?.detail).toContain('(Command pkexec exited with code 126)');
    // Quitting does not ask for the permission again, until the update is confirmed again.
    expect(updater.autoInstallOnAppQuit).toBe(false);
  });

  it('and reports nothing: the panel is reopened within seconds', async () => {
    vi.useFakeTimers();
    const { updates, done, questions } = setUp({ version: '2.0.0', answers: [0, 0] });
    const checked = updates.check();
    await vi.advanceTimersByTimeAsync(INSTALL_MS);
    await checked;
    expect(done).toEqual(notInstalled);
    expect(questions.at(-1)?.detail).toContain('the installer did not start');
    vi.useRealTimers();
  });

  it('can be started again', async () => {
    const install = (updater: EventEmitter) => void updater.emit('error', cancelled);
    const { updates, done } = setUp({ version: '2.0.0', answers: [0, 0, 0, 0, 0], install });
    await updates.check();
    await updates.check();
    expect(done).toEqual([...notInstalled, ...notInstalled]);
  });
});

describe('nothing newer, or a failed check', () => {
  it('is reported on request', async () => {
    const nothing = setUp({ version: null });
    await nothing.updates.check();
    expect(nothing.questions.map(({ message }) => message)).toEqual([t('newestVersion')]);
    const failed = setUp({ version: new Error('net::ERR_FAILED\n  at a stack') });
    await failed.updates.check();
    expect(failed.questions[0]?.detail).toContain('net::ERR_FAILED');
    expect(failed.questions[0]?.detail).not.toContain('stack');
  });

  describe('without a request', () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    it('is not reported, and checked again every day until it is stopped', async () => {
      const { updates, done, questions } = setUp({ version: null });
      updates.start();
      await vi.advanceTimersByTimeAsync(FIRST_CHECK_MS + 2 * INTERVAL_MS);
      expect(done).toEqual(['check', 'check', 'check']);
      updates.stop();
      await vi.advanceTimersByTimeAsync(3 * INTERVAL_MS);
      expect(done).toHaveLength(3);
      expect(questions).toEqual([]);
    });
  });
});

describe('the updater', () => {
  let resources: string;
  beforeEach(() => {
    resources = mkdtempSync(join(tmpdir(), 'gatehouse-updater-'));
  });
  afterEach(() => rmSync(resources, { recursive: true }));

  const updater = {} as Updater;
  const load = async () => updater;
  const loadNothing = () => Promise.reject(new Error('loaded'));
  const publish = () =>
    writeFileSync(join(resources, 'app-update.yml'), 'provider: generic\nurl: https://example.com\n');

  it('is loaded in an installed application that has a feed', async () => {
    publish();
    await expect(findUpdater(true, resources, load)).resolves.toBe(updater);
  });

  it('is not loaded without a feed, nor in a checkout', async () => {
    await expect(findUpdater(true, resources, loadNothing)).resolves.toBeNull();
    publish();
    await expect(findUpdater(false, resources, loadNothing)).resolves.toBeNull();
  });
});
