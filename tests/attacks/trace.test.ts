// Who tries keys and passwords leaves a trace: figures in the panel at once, a row in the audit log and lines in the log file.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PASSWORD } from '../support/cli.ts';
import { createClient } from '../support/http-client.ts';
import { openAttacked } from './attacked.ts';

const TRIES = 30;

test('failed keys and throttled sign-ins are seen by the administrator, while they go on and afterwards', async () => {
  await using attacked = await openAttacked();
  const { panel, ca, cli, browserAt } = attacked;
  const client = createClient({ baseUrl: panel.baseUrl, key: `pnl_${'x'.repeat(44)}`, ca });
  const attacker = browserAt('198.51.100.7');
  for (let count = 0; count < TRIES; count++) {
    expect((await client.call('getSettings', {}, { 'x-forwarded-for': '198.51.100.8' })).status).toBe(401);
    await attacker.call('signIn', { name: 'admin', password: 'wrong' });
  }
  client.close();
  const owner = browserAt('203.0.113.9');
  await owner.call('signIn', { name: 'admin', password: PASSWORD });
  expect((await owner.call('getFailedAttempts', {})).body).toEqual({
    sign_ins: { count: TRIES, networks: 1 },
    keys: { count: TRIES, networks: 1 },
  });

  await panel.end('SIGTERM');
  const again = await cli.serve(['--port', '0', '--trusted-proxy', '127.0.0.1']);
  const listRows = async (action: string) =>
    (await owner.call('listAudit', { action }, again.panelUrl)).body.items.filter(
      ({ detail }) => detail.series === 'ended',
    );
  for (const [action, address] of [
    ['failedKeys', '198.51.100.8'],
    ['failedSignIns', '198.51.100.7'],
  ] as const) {
    const rows = await listRows(action);
    // On a slow machine they are of some minutes, of which the first belong to no series yet.
    const count = rows.reduce((sum, { detail }) => sum + Number(detail.count), 0);
    expect([rows[0]?.outcome, rows[0]?.address]).toEqual(['refused', address]);
    expect(count).toBeGreaterThanOrEqual(10);
  }
  const log = readFileSync(join(cli.folder, 'logs', 'panel.log'), 'utf8');
  const lines = log.split('\n').filter((line) => line.includes('198.51.100.'));
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.length).toBeLessThan(TRIES);
});
