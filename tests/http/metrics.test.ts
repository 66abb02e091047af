// Metrics for Prometheus: well-formed, true, without a name of a user, and with counters that never go down.
import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestClock } from '../support/clock.ts';
import { type Fixtures, fill } from '../support/fixtures.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';

const DAY = 86_400_000;
const clock = createTestClock(Date.parse('2026-11-10T10:15:00Z'));

let panel: TestPanel;
let fixtures: Fixtures;
beforeAll(async () => {
  panel = await startPanel({ clock });
  fixtures = await fill(panel);
  await panel.act('createUser', { name: 'Mover', tariff_id: fixtures.tariffs.free });
});
afterAll(() => panel.stop());

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Reads the text exposition format 0.0.4 strictly; throws on what it does not know. */
function readMetrics(text: string): { samples: Sample[]; types: Map<string, string> } {
  expect(text.endsWith('\n')).toBe(true);
  const types = new Map<string, string>();
  const helped = new Set<string>();
  const seen = new Set<string>();
  const samples = text
    .trimEnd()
    .split('\n')
    .flatMap((line): Sample[] => {
      const comment = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/.exec(line);
      if (comment) {
        const [, kind, name = '', rest = ''] = comment;
        const known = kind === 'TYPE' ? types.has(name) : helped.has(name);
        if (known) throw new Error(`twice: ${line}`);
        if (kind === 'TYPE') types.set(name, rest);
        else helped.add(name);
        return [];
      }
      const sample = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (NaN|[+-]?Inf|[-+.\deE]+)$/i.exec(line);
      if (line === '') return [];
      if (!sample) throw new Error(`no sample: ${line}`);
      const [, name = '', inner = '', value = ''] = sample;
      const pairs = [...inner.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/g)];
      if (pairs.map(([whole]) => whole).join('') !== inner) throw new Error(`labels: ${line}`);
      const key = line.slice(0, line.lastIndexOf(' '));
      if (seen.has(key)) throw new Error(`twice: ${key}`);
      seen.add(key);
      const base = name.replace(/_(bucket|sum|count)$/, '');
      if (!types.has(name) && !types.has(base)) throw new Error(`no type: ${line}`);
      return [
        {
          name,
          labels: Object.fromEntries(pairs.map(([, label = '', text_ = '']) => [label, text_])),
          value: Number(value),
        },
      ];
    });
  for (const [name, type] of types) {
    if (!helped.has(name)) throw new Error(`no help: ${name}`);
    if (type === 'counter' && !name.endsWith('_total')) throw new Error(`a counter without _total: ${name}`);
    if (type === 'gauge' && name.endsWith('_total')) throw new Error(`a gauge with _total: ${name}`);
  }
  return { samples, types };
}

describe('metrics', () => {
  const read = async () => readMetrics((await panel.read.call('getMetrics')).text);

  it('are well-formed, and those of the contract are there', async () => {
    const answer = await panel.read.call('getMetrics');
    expect(answer.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4; charset=utf-8$/);
    const { types } = readMetrics(answer.text);
    const expected = {
      panel_info: 'gauge',
      panel_users: 'gauge',
      panel_users_online: 'gauge',
      panel_traffic_bytes_total: 'counter',
      panel_node_up: 'gauge',
      panel_node_users_online: 'gauge',
      panel_node_traffic_bytes_total: 'counter',
      panel_node_uptime_seconds: 'gauge',
      panel_inbound_traffic_bytes_total: 'counter',
      panel_http_request_duration_seconds: 'histogram',
      panel_keys: 'gauge',
      panel_node_sync_lag_seconds: 'gauge',
      panel_db_size_bytes: 'gauge',
      process_cpu_seconds_total: 'counter',
    };
    expect(Object.fromEntries([...types].filter(([name]) => name in expected))).toEqual(expected);
  });

  it('please promtool, where it is installed, after requests of all kinds', async () => {
    for (const path of ['/users', '/nothing', '/users?limit=0']) await panel.read.send({ method: 'GET', path });
    const { text } = await panel.read.call('getMetrics');
    const { error, status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
      input: text,
      encoding: 'utf8',
    });
    const isThere = error === undefined;
    expect(isThere ? { status, told: stdout + stderr } : { status: 0, told: '' }).toEqual({ status: 0, told: '' });
    expect(readMetrics(text).samples.length).toBeGreaterThan(100);
  });

  it('as OpenMetrics when asked for', async () => {
    const answer = await panel.read.call('getMetrics', {}, { accept: 'application/openmetrics-text' });
    expect(answer.headers['content-type']).toMatch(/^application\/openmetrics-text; version=1\.0\.0; charset=utf-8$/);
    expect(answer.text).toMatch(/# EOF\n$/);
    expect(answer.text).toMatch(/^# TYPE panel_traffic_bytes counter$/m);
  });

  it('no label names a user, a raw path or a secret', async () => {
    await panel.full.send({ method: 'GET', path: '/users/4711' });
    await panel.full.send({ method: 'GET', path: '/nothing/secretpath?q=secret' });
    const { samples } = await read();
    const values = new Set(samples.flatMap(({ labels }) => Object.values(labels)));
    for (const value of values) expect(value).not.toMatch(/4711|secret|Mover/);
    expect(values).not.toContain(panel.secretPath);
    const routes = samples.filter(({ name }) => name === 'panel_http_request_duration_seconds_count');
    expect(routes.map(({ labels }) => `${labels.method} ${labels.route} ${labels.status}`)).toContain(
      'GET /users/{id} 404',
    );
  });

  it('tell names with quotes, backslashes and emoji apart', async () => {
    const name = 'a"b\\c 🇩🇪';
    const { id } = await panel.act('createNode', { name, address: 'x.example' });
    const { samples } = await read();
    const up = samples.find(({ name: metric, labels }) => metric === 'panel_node_up' && labels.node_id === String(id));
    expect(up?.labels.node).toBe('a\\"b\\\\c 🇩🇪');
    await panel.act('deleteNode', { id });
  });

  it('counters never go down: not when users, connections or nodes are deleted', async () => {
    const { id: nodeId } = await panel.act('createNode', { name: 'Short-lived', address: 'x.example' });
    const inbound = { node_id: nodeId, tag: 'x', name: 'x', protocol: 'vless', port: 1 } as const;
    const { id: inboundId } = await panel.act('createInbound', inbound);
    const { id } = await panel.act('createUser', { name: 'Short-lived', tariff_id: fixtures.tariffs.free });
    const moved = { up: 1000, down: 2000 };
    panel.move({ nodeId, total: moved, users: [{ userId: id, ...moved }], inbounds: [{ inboundId, ...moved }] });
    const total = ({ samples }: Awaited<ReturnType<typeof read>>, direction: string) =>
      samples.find(({ name, labels }) => name === 'panel_traffic_bytes_total' && labels.direction === direction)?.value;
    const before = await read();
    await panel.full.call('deleteUser', { id });
    await panel.full.call('deleteInbound', { id: inboundId });
    await panel.act('deleteNode', { id: nodeId });
    const after = await read();
    for (const direction of ['up', 'down']) {
      expect(total(after, direction)).toBe(total(before, direction));
      expect(total(after, direction)).toBeGreaterThanOrEqual(1000);
    }
    const key = ({ name, labels }: Sample) => `${name}${JSON.stringify(labels)}`;
    const later = new Map(after.samples.map((sample) => [key(sample), sample.value]));
    for (const sample of before.samples) {
      if (before.types.get(sample.name) !== 'counter') continue;
      const now = later.get(key(sample));
      if (now !== undefined) expect(now, key(sample)).toBeGreaterThanOrEqual(sample.value);
    }
  });

  it('count keys by access, those revoked and expired left out', async () => {
    const count = async () =>
      Object.fromEntries(
        (await read()).samples.filter(({ name }) => name === 'panel_keys').map((s) => [s.labels.access, s.value]),
      );
    const before = await count();
    const { key } = await panel.makeKey('read');
    await panel.makeKey('full', 30);
    expect(await count()).toEqual({ read: Number(before.read) + 1, full: Number(before.full) + 1 });
    await panel.act('revokeKey', { id: key.id });
    clock.advance(30 * DAY);
    expect(await count()).toEqual(before);
  });
});
