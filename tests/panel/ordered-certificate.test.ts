// A certificate ordered over the control socket, as `panel install --domain` does: before there is an administrator, and once.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callService } from '../../src/panel/install.ts';
import { openPanel } from '../../src/panel/panel.ts';
import { CHEAP_COST } from '../support/cheap-password.ts';

test('is ordered by the running panel, and not again while the same order waits', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-ordered-'));
  const data = join(folder, 'data');
  const panel = await openPanel({ folder: data, port: 0, passwordCost: CHEAP_COST });
  const places = { program: folder, data, settings: folder, command: join(folder, 'panel') };
  // Nothing listens there.
  const order = { name: 'Panel.example.org', email: null, directory_url: 'https://127.0.0.1:1/directory' };
  const ordered = await callService('order-certificate', order, places);
  expect(ordered?.settings).toMatchObject({ names: ['panel.example.org'], challenge: 'tls-alpn-01' });
  const read = async () => callService('certificate', {}, places);
  await expect.poll(async () => (await read())?.status, { timeout: 60_000 }).toBe('failing');
  const before = await read();
  expect(before?.failure?.code).toBe('unreachable');
  expect(await callService('order-certificate', order, places)).toEqual(before);
  await panel.close();
  expect(await read()).toBeNull();
  rmSync(folder, { recursive: true, force: true });
});
