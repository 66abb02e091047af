// The daily check for newer versions: only if enabled, and never back to an older release.
import { expect, it } from 'vitest';
import { pairAdmin } from '../../../tests/support/bot-admin.ts';
import { createTestClock, createTestTimers } from '../../../tests/support/clock.ts';
import { ADMINISTRATOR_CALL, coreParts } from '../../../tests/support/core.ts';
import { tempStore } from '../../../tests/support/temp-store.ts';
import type { ReleaseManifest, UpdateProblem } from '../../contract/updates.ts';
import { createCore } from '../create-core.ts';
import type { Releases } from '../ports/releases.ts';

const DAY_MS = 86_400_000;
const FOUND: ReleaseManifest = {
  version: '1.2.0',
  published_at: '2026-11-01T00:00:00.000Z',
  signed_at: '2026-11-01T00:00:00.000Z',
  expires_at: '2026-12-01T00:00:00.000Z',
  notes: 'Faster lists.',
  files: [{ platform: 'linux-x64', name: 'a.tar.gz', size: 1, sha256: 'a'.repeat(64) }],
};

function openCore(changes: Partial<Releases> = {}, version = '1.0.0', updateChecks = true) {
  const temp = tempStore();
  const clock = createTestClock(Date.UTC(2026, 10, 20));
  const timers = createTestTimers();
  let answer: ReleaseManifest | { readonly problem: UpdateProblem } = FOUND;
  let asked = 0;
  const latest = async () => {
    asked += 1;
    return answer;
  };
  const known = { installation: 'release', platform: 'linux-x64', channel: 'stable', host: 'example.org' } as const;
  const releases: Releases = { ...known, latest, ...changes };
  const parts = coreParts(temp, { clock, timers, releases, version });
  temp.store.write(() => temp.store.settings.set({ updateChecks }));
  const { queued } = pairAdmin(temp.store);
  const core = createCore(parts);
  return {
    clock,
    timers,
    core,
    queued,
    asked: () => asked,
    answer(next: typeof answer) {
      answer = next;
    },
    check: async () => (await core.call('checkForUpdates', {}, ADMINISTRATOR_CALL)).body,
    known: async () => (await core.call('getUpdates', {}, ADMINISTRATOR_CALL)).body,
    async [Symbol.asyncDispose]() {
      await core.stop();
      temp[Symbol.dispose]();
    },
  };
}

it('a newer release is offered with its notes, and nothing that is not newer', async () => {
  await using panel = openCore();
  expect(await panel.known()).toMatchObject({ available: null, checked_at: null, problem: null });
  expect(await panel.check()).toMatchObject({
    checked_at: '2026-11-20T00:00:00.000Z',
    problem: null,
    available: { version: '1.2.0', notes: 'Faster lists.', fits: true },
  });
  // The administrator is notified of a version once.
  const now = panel.clock.now();
  expect(panel.queued(now)).toEqual(['Version 1.2.0 of the panel is available; this is 1.0.0.']);
  await panel.check();
  expect(panel.queued(now)).toEqual([]);
  panel.answer({ ...FOUND, files: [] });
  expect((await panel.check()).available).toMatchObject({ fits: false });
  await using newest = openCore({}, '1.2.0');
  expect(await newest.check()).toMatchObject({ available: null, problem: null });
  await using desktop = openCore({ installation: 'desktop' });
  expect((await desktop.check()).available).toBeNull();
});

it('what was signed before, has expired or failed is said, and what is known stays', async () => {
  await using panel = openCore();
  await panel.check();
  const known = { available: { version: '1.2.0' } };
  panel.answer({ ...FOUND, version: '1.3.0', signed_at: '2026-10-31T00:00:00.000Z' });
  expect(await panel.check()).toMatchObject({ ...known, problem: 'older_than_seen' });
  panel.answer({ ...FOUND, version: '1.3.0', expires_at: '2026-11-20T00:00:00.000Z' });
  expect(await panel.check()).toMatchObject({ ...known, problem: 'expired' });
  panel.answer({ problem: 'unsigned' });
  expect(await panel.check()).toMatchObject({ ...known, problem: 'unsigned' });
  panel.answer({ ...FOUND, signed_at: '2026-11-02T00:00:00.000Z' });
  expect(await panel.check()).toMatchObject({ ...known, problem: null });
});

it('the panel looks once a day, unless that is turned off or there is nowhere to look', async () => {
  await using panel = openCore();
  panel.core.start();
  const tick = async () => {
    panel.timers.tick();
    // A running job is not started a second time.
    await panel.core.call('updateSettings', {}, ADMINISTRATOR_CALL);
    await panel.core.call('updateSettings', {}, ADMINISTRATOR_CALL);
    return panel.asked();
  };
  expect(await tick()).toBe(1);
  expect(await tick()).toBe(1);
  panel.clock.advance(DAY_MS);
  expect(await tick()).toBe(2);
  for (const silent of [openCore({ host: null }), openCore({}, '1.0.0', false)]) {
    await using quiet = silent;
    quiet.core.start();
    quiet.timers.tick();
    expect(quiet.asked()).toBe(0);
  }
});
