// Quitting the desktop while everything runs: a clean end each time, which the next start does not report.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Page } from '@playwright/test';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import {
  type CallOperation,
  openPeers,
  type Peers,
  type Scene,
  WORK_KINDS,
  type WorkKind,
} from '../support/busy-panel.ts';
import { times } from '../support/long.ts';
import { request } from './api.ts';
import { describeDesktop, type Machine, openMachine } from './driver.ts';
import { ADMIN, createApiKey, quit, readBaseUrl, refuseUpdate, setUp, signIn } from './steps.ts';

let folder: string;
let peers: Peers;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-quit-'));
  peers = await openPeers(folder);
});
afterEach(async () => {
  await peers[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** Returns a function that calls operations in the page. */
const createCall =
  (page: Page): CallOperation =>
  (id, input) =>
    page.evaluate(
      async ([operation, given]) => {
        const { gatehouse } = globalThis as unknown as {
          gatehouse: {
            call(...input: unknown[]): Promise<{ ok: boolean; text: string | null; problem?: { detail: string } }>;
          };
        };
        const { ok, text, problem } = await gatehouse.call(operation, given, {});
        if (!ok) throw new Error(`${operation}: ${problem?.detail}`);
        return text === null ? null : JSON.parse(text);
      },
      [id, JSON.stringify(input)] as const,
    );

const readLog = ({ data }: Machine) => readFileSync(join(data, 'logs', 'panel.log'), 'utf8');
const errorsIn = (log: string) => log.split('\n').filter((line) => line.includes('"level":"error"'));
/** What a run leaves that did not end properly. */
const leftBy = (machine: Machine) =>
  ['crash.json', 'running.json'].filter((name) => existsSync(inUserData(machine, name)));
const inUserData = ({ appData }: Machine, name: string) => join(appData, 'Gatehouse Desktop', name);

/** At the first quit nothing is, but what nodes do by themselves. */
const UNDER_WAY: readonly (readonly WorkKind[])[] = [[], WORK_KINDS, ['write', 'change'], ['delivery', 'payment']];

describeDesktop('quitting with two nodes, the bot, webhooks and payment providers', () => {
  it('is a clean end, whatever is under way', async () => {
    await using machine = openMachine();
    let scene: Scene | null = null;
    const ends: unknown[] = [];
    const runs = times(3, 20);
    for (let run = 0; run < runs; run += 1) {
      peers.answer();
      const desktop = await machine.start();
      expect((await desktop.snapshot()).dialogs).toEqual([]);
      const page = await desktop.page();
      await (scene === null ? setUp(page) : signIn(page));
      const call = createCall(page);
      scene ??= await peers.setUp(call, ADMIN.password);
      await peers.untilUp(call, scene);
      await peers.generateLoad(call, scene, ADMIN.password, UNDER_WAY[run % UNDER_WAY.length]);
      const code = await quit(desktop);
      ends.push({ code, left: leftBy(machine), errors: errorsIn(readLog(machine)) });
      console.log(`quit ${run + 1} of ${runs}: exit code ${code}, left ${JSON.stringify(leftBy(machine))}`);
    }
    expect(ends).toEqual(Array.from({ length: runs }, () => ({ code: 0, left: [], errors: [] })));
  });
});

// electron-updater is replaced in the stand-in only.
if (!inject('isElectronReal')) {
  describeDesktop('an update that is refused while nodes run', () => {
    it('leaves the panel open, and only its own dialog says so', async () => {
      const resources = join(folder, 'resources');
      const feed = 'provider: generic\nurl: https://example.com\n';
      await using machine = openPackaged(resources, feed);
      const desktop = await machine.start();
      const page = await desktop.page();
      await setUp(page);
      const call = createCall(page);
      const scene = await peers.setUp(call, ADMIN.password);
      const [baseUrl, key] = [await readBaseUrl(page), await createApiKey(page)];
      expect(await refuseUpdate(desktop)).toMatchObject({ message: 'Gatehouse 9.9.9 was not installed' });
      expect((await request(machine, `${baseUrl}/users`, { key })).status).toBe(200);
      await peers.untilUp(call, scene);
      const { notifications } = await desktop.snapshot();
      expect(notifications.filter(({ title }) => title.startsWith('The panel'))).toEqual([]);
      expect(errorsIn(readLog(machine))).toEqual([]);
      await desktop.control('answerMessage', 0);
      expect(await quit(desktop)).toBe(0);
      expect(leftBy(machine)).toEqual([]);
    });
  });

  describeDesktop('a start that fails by a defect', () => {
    it('is said at once, is logged, and is said by the next start', async () => {
      await using machine = openMachine();
      const defect = inUserData(machine, 'defect');
      mkdirSync(dirname(defect));
      writeFileSync(defect, '');
      const failed = await machine.start();
      const { dialogs } = await failed.until((snapshot) => snapshot.dialogs.length > 0);
      const detail = 'a defect of the test';
      const shown = {
        type: 'error',
        message: 'Gatehouse cannot start',
        detail: expect.stringContaining(`An unexpected error: ${detail}.`),
        buttons: ['Quit Gatehouse'],
      };
      expect(dialogs).toMatchObject([{ kind: 'message', options: shown }]);
      const [line = ''] = errorsIn(readLog(machine));
      expect(JSON.parse(line)).toMatchObject({ msg: 'desktop not started', error: { message: detail } });
      const report = JSON.parse(readFileSync(inUserData(machine, 'crash.json'), 'utf8'));
      expect(report).toMatchObject({ message: detail, stack: expect.stringContaining('    at ') });
      await failed.control('answerMessage', 0);
      await expect(failed.ended).resolves.toBe(1);
      expect(leftBy(machine)).toEqual(['crash.json']);

      rmSync(defect);
      const again = await machine.start();
      const reported = await again.until((snapshot) => snapshot.dialogs.length > 0);
      expect(reported.dialogs[0]?.options).toMatchObject({ message: 'Gatehouse ended unexpectedly' });
      await again.control('answerMessage', 0);
      expect(await quit(again)).toBe(0);
      expect(leftBy(machine)).toEqual([]);
    });
  });
}

function openPackaged(resources: string, feed: string): Machine & AsyncDisposable {
  mkdirSync(resources);
  writeFileSync(join(resources, 'app-update.yml'), feed);
  return openMachine({ isPackaged: true, env: { STAND_IN_RESOURCES: resources } });
}
