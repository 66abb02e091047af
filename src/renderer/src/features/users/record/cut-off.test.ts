// Texts about the restart that ends a blocked user's connections.
import { expect, it } from 'vitest';
import { restartFor } from './cut-off.ts';

const NOW = Date.parse('2026-11-20T10:15:00.000Z');
const RESTARTED = '2026-11-20T10:10:00.000Z';
const node = (reason: 'cut_off' | 'configuration', user_ids: number[], inbound_id: number | null = null) => ({
  name: 'Frankfurt',
  last_restart: { at: RESTARTED, reason, inbound_id, user_ids },
});

it('is done where nothing moved since a restart over this user', () => {
  const done = { kind: 'done', node: 'Frankfurt', at: RESTARTED, isWhole: true };
  const nodes = [{ name: 'Riga', last_restart: null }, node('cut_off', [3, 7])];
  for (const isOn of [true, false]) {
    expect(restartFor({ id: 7, online_at: RESTARTED }, nodes, isOn, NOW)).toEqual(done);
    expect(restartFor({ id: 7, online_at: null }, nodes, isOn, NOW)).toEqual(done);
  }
});

it('is done where the connection alone was reopened, which no restart waits for', () => {
  const done = { kind: 'done', node: 'Frankfurt', at: RESTARTED, isWhole: false };
  const nodes = [node('cut_off', [7], 4)];
  expect(restartFor({ id: 7, online_at: RESTARTED }, nodes, true, NOW)).toEqual(done);
  const moving = { id: 7, online_at: '2026-11-20T10:14:00.000Z' };
  expect(restartFor(moving, nodes, true, NOW)).toEqual({ kind: 'due', waits: [] });
});

it('is off, or due at the earliest ten minutes after the last one of a node', () => {
  const user = { id: 7, online_at: '2026-11-20T10:14:00.000Z' };
  const waits = [{ node: 'Frankfurt', until: Date.parse('2026-11-20T10:20:00.000Z') }];
  expect(restartFor(user, [node('cut_off', [7])], false, NOW)).toEqual({ kind: 'off' });
  expect(restartFor(user, [node('cut_off', [7])], true, NOW)).toEqual({ kind: 'due', waits });
  expect(restartFor(user, [node('cut_off', [3])], true, NOW)).toEqual({ kind: 'due', waits });
  expect(restartFor(user, [node('cut_off', [3])], true, NOW + 600_000)).toEqual({ kind: 'due', waits: [] });
  expect(restartFor(user, [node('configuration', [])], true, NOW)).toEqual({ kind: 'due', waits: [] });
});
