import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { hostTexts } from '../i18n/host.ts';
import { createUpdates, EVERY_MS, FIRST_LOOK_MS, type Question, type Updater } from './updates.ts';

const t = hostTexts('en', 'desktop');

/** An updater that finds `version` (null: nothing newer; an error: nothing at all), and a person who answers in turn. */
function scene({ version, answers = [] }: { version: string | null | Error; answers?: number[] }) {
  const done: string[] = [];
  const asked: Question[] = [];
  let skipped: string | null = null;
  const updater = {
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
    quitAndInstall: () => done.push('install'),
  };
  const updates = createUpdates({
    updater: updater as unknown as Updater,
    texts: () => t,
    async ask(question) {
      asked.push(question);
      return answers.shift() ?? question.buttons.length - 1;
    },
    skipped: () => skipped,
    skip: (declined) => {
      skipped = declined;
    },
    close: async () => void done.push('close'),
    log: (message) => void done.push(message),
  });
  return { updates, updater, done, asked, skipped: () => skipped };
}

describe('a newer version', () => {
  it('is fetched only after a yes, and installed after the panel has ended', async () => {
    const { updates, updater, done, asked } = scene({ version: '2.0.0', answers: [0, 0] });
    expect(updater).toMatchObject({ autoDownload: false, allowDowngrade: false, disableWebInstaller: true });
    await updates.look();
    expect(done).toEqual(['check', 'download', 'a newer version is installed', 'close', 'install']);
    expect(asked.map(({ message }) => message)).toEqual(['Gatehouse 2.0.0 is available', 'Gatehouse 2.0.0 is ready']);
  });

  it('waits until the application is quit, if that is wished', async () => {
    const { updates, updater, done } = scene({ version: '2.0.0', answers: [0, 1] });
    await updates.look();
    expect(done).toEqual(['check', 'download']);
    expect(updater.autoInstallOnAppQuit).toBe(true);
  });

  it('is declined by closing the dialog, and offered again', async () => {
    const { updates, done, skipped } = scene({ version: '2.0.0' });
    await updates.look();
    expect(done).toEqual(['check']);
    expect(skipped()).toBeNull();
  });

  it('that was skipped is offered only to who asks', async () => {
    vi.useFakeTimers();
    const { updates, asked, skipped } = scene({ version: '2.0.0', answers: [1] });
    await updates.look();
    expect(skipped()).toBe('2.0.0');
    updates.start();
    await vi.advanceTimersByTimeAsync(FIRST_LOOK_MS);
    expect(asked).toHaveLength(1);
    await updates.look();
    expect(asked).toHaveLength(2);
    updates.stop();
    vi.useRealTimers();
  });
});

describe('nothing newer, or no answer', () => {
  it('is told to who asks', async () => {
    const nothing = scene({ version: null });
    await nothing.updates.look();
    expect(nothing.asked.map(({ message }) => message)).toEqual([t('newestVersion')]);
    const failed = scene({ version: new Error('net::ERR_FAILED\n  at a stack') });
    await failed.updates.look();
    expect(failed.asked[0]?.detail).toContain('net::ERR_FAILED');
    expect(failed.asked[0]?.detail).not.toContain('stack');
  });

  describe('by itself', () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    it('is not told, and looked for again every day until it is stopped', async () => {
      const { updates, done, asked } = scene({ version: null });
      updates.start();
      await vi.advanceTimersByTimeAsync(FIRST_LOOK_MS + 2 * EVERY_MS);
      expect(done).toEqual(['check', 'check', 'check']);
      updates.stop();
      await vi.advanceTimersByTimeAsync(3 * EVERY_MS);
      expect(done).toHaveLength(3);
      expect(asked).toEqual([]);
    });
  });
});
