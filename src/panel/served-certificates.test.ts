// Stopping the served certificates: waits for a running renewal.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestTimers } from '../../tests/support/clock.ts';
import { fakeLog } from '../../tests/support/fake-core.ts';
import { systemClock } from '../adapters/clock.ts';
import type { Timers } from '../core/ports/ports.ts';
import { openCertificates } from './served-certificates.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-served-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('waits for a renewal, after which nothing is asked of the store', async () => {
  const timers = createTestTimers();
  const log = fakeLog();
  const hostNames: string[] = [];
  const done: string[] = [];
  const asked = <T>(answer: T) => {
    done.push('store');
    return answer;
  };
  const certificates = await openCertificates({
    folder,
    clock: systemClock,
    timers,
    log,
    sealing: {
      isOpen: () => asked(true),
      canSeal: () => asked(false),
      seal: () => asked(undefined as never),
      open: () => asked(''),
    },
    settings: () => asked({ publicAddress: null, publicUrl: null, hostNames, acme: null }),
    listensOn: () => ['127.0.0.1'],
    hasLinks: () => false,
    replace: () => done.push('replaced'),
  });
  hostNames.push('panel.example');
  timers.tick();
  await certificates.stop();
  expect(done).toContain('replaced');
  expect(log.lines).toMatchObject([{ event: 'certificate renewed' }]);
  done.length = 0;
  timers.tick();
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(done).toEqual([]);
});

it('follows an address of the machine that changes, before the next check of its term', async () => {
  const works: { readonly ms: number; readonly work: () => void }[] = [];
  const timers: Timers = {
    ...createTestTimers(),
    every(ms, work) {
      works.push({ ms, work });
      return () => {};
    },
  };
  const passSeconds = () => {
    for (const { ms, work } of works) if (ms <= 5000) work();
  };
  const log = fakeLog();
  const addresses = ['192.168.1.10'];
  const certificates = await openCertificates({
    folder,
    clock: systemClock,
    timers,
    log,
    sealing: { isOpen: () => true, canSeal: () => false, seal: () => undefined as never, open: () => '' },
    settings: () => ({ publicAddress: null, publicUrl: null, hostNames: [], acme: null }),
    listensOn: () => addresses,
    hasLinks: () => false,
    replace() {},
  });
  passSeconds();
  expect(certificates.served()[0]?.names).toContain('192.168.1.10');
  addresses[0] = '192.168.1.77';
  passSeconds();
  await certificates.stop();
  expect(log.lines).toMatchObject([{ event: 'certificate renewed' }]);
  expect(certificates.served()[0]?.names).toContain('192.168.1.77');
});
