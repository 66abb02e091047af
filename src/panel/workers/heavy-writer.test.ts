// The writer thread over a real database: its effect, its refusals, its errors, and a second start after it has ended.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../adapters/clock.ts';
import { nodeCrypto } from '../../adapters/crypto.ts';
import { openLog } from '../../adapters/log.ts';
import type { Call } from '../../core/ports/call.ts';
import type { Store } from '../../core/ports/ports.ts';
import { openStore } from '../../store/index.ts';
import { ensureFirstSettings } from '../owned-folder.ts';
import { createHeavyWriter, type HeavyWriterThread } from './heavy-writer.ts';

const call: Call = {
  actor: { kind: 'administrator', id: 1, name: 'admin', access: 'full' },
  requestId: 'r1',
  address: null,
};
const tariff = { name: 'Monthly', duration: { months: 1 }, traffic_limit: null, device_limit: null };
const rest = { reset_strategy: 'none', starts: 'on_creation', inbounds: null, price: null, archived: false };

let folder = '';
let store: Store;
let heavy: HeavyWriterThread;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-heavy-'));
  const database = join(folder, 'panel.db');
  store = openStore(database);
  ensureFirstSettings(store, nodeCrypto);
  heavy = createHeavyWriter(
    { database },
    { clock: systemClock, log: openLog('stderr', () => {}) },
    () => 'https://127.0.0.1:8443',
  );
});
afterEach(async () => {
  await heavy.close();
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

const createTariff = (name: string) => heavy.run('createTariff', { ...tariff, ...rest, name }, call);

test('what it wrote is there for the panel’s own connection, audit row included', async () => {
  const outcome = await createTariff('Monthly 50 GB');
  expect(outcome).toMatchObject({ reply: { status: 201 } });
  expect(store.tariffs.get(1)?.name).toBe('Monthly 50 GB');
  expect(store.audit.page({ limit: 10 })[0]).toMatchObject({ action: 'createTariff', requestId: 'r1' });
});

test('an expected failure comes back as its code', async () => {
  expect(await heavy.run('deleteTariff', { id: 99 }, call)).toEqual({ code: 'not_found' });
});

test('a defect rejects, and the thread goes on', async () => {
  await expect(heavy.run('createTariff', null, call)).rejects.toThrow('writer thread');
  expect(await createTariff('After')).toMatchObject({ reply: { status: 201 } });
});

test('closed twice, it starts again when it is used', async () => {
  await createTariff('First');
  await Promise.all([heavy.close(), heavy.close()]);
  await createTariff('Second');
  expect(store.tariffs.count({})).toBe(2);
});

test('a thread that cannot start rejects what it was to do', async () => {
  const lost = createHeavyWriter(
    { database: join(folder, 'no', 'panel.db') },
    { clock: systemClock, log: openLog('stderr', () => {}) },
    () => '',
  );
  await expect(lost.run('createTariff', { ...tariff, ...rest }, call)).rejects.toThrow(
    /no such file|cannot open|directory/i,
  );
  await lost.close();
});
