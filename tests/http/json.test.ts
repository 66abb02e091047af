// JSON as it comes in: what parsers read differently is refused, what is unknown is inert, and text comes back as it was sent.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPanel, type TestPanel } from '../support/panel.ts';

let panel: TestPanel;
beforeAll(async () => {
  panel = await startPanel();
});
afterAll(() => panel.stop());

const send = (body: string | Buffer) =>
  panel.full.send<{ id: number; name: string }>({
    method: 'POST',
    path: '/tariffs',
    headers: { 'content-type': 'application/json' },
    body,
  });

describe('JSON', () => {
  it.each([
    ['{"name":"a","name":"b"}', 'a member twice', '#/name'],
    ['{"name":"a","\\u006eame":"b"}', 'a member twice, once escaped', '#/name'],
    ['{"name":"a","price":{"amount":1,"amount":2}}', 'a member twice within', '#/price/amount'],
    ['{"name":"\\ud800"}', 'half a surrogate pair', '#/name'],
    ['{"name":"a",}', 'a comma too many', '#'],
    ["{'name':'a'}", 'single quotes', '#'],
    ['{"name":NaN}', 'NaN', '#'],
    ['{"name":"a"} {"name":"b"}', 'two values', '#'],
    ['// x\n{"name":"a"}', 'a comment', '#'],
    ['\ufeff{"name":"a"}', 'a byte order mark', '#'],
    ['', 'nothing', '#'],
    ['undefined', 'no JSON', '#'],
    [`{"name":${'['.repeat(32)}${']'.repeat(32)}}`, '33 levels', undefined],
    [`${'['.repeat(100_000)}`, 'a hundred thousand levels', '#'],
  ])('%s is bad_json: %s', async (body, _why, pointer) => {
    const { problem } = await send(body);
    expect(problem).toMatchObject({ status: 400, detail: 'bad_json' });
    if (pointer !== undefined) expect(problem.errors?.[0]?.pointer).toBe(pointer);
  });

  it('that is not UTF-8 is bad_json', async () => {
    for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80]]) {
      const body = Buffer.concat([Buffer.from('{"name":"'), Buffer.from(bytes), Buffer.from('"}')]);
      expect((await send(body)).problem.detail).toBe('bad_json');
    }
  });

  it.each(['[]', 'null', '"text"', '1', 'true', '{"name":{"__proto__":1}}', '{"name":["a"]}'])(
    '%s is valid JSON of the wrong shape',
    async (body) => {
      expect((await send(body)).problem.detail).toBe('validation');
    },
  );

  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])(
    'a member called %s is unknown, and inert',
    async (name) => {
      const answer = await send(`{"name":"x","${name}":{"archived":true}}`);
      expect(answer.problem).toMatchObject({
        detail: 'validation',
        errors: [{ pointer: `#/${name}`, code: 'unknown' }],
      });
      expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain('archived');
    },
  );

  it('numbers that are no whole numbers, or too large to be exact, are refused', async () => {
    for (const number of ['1.5', '1e999', '-1', '9007199254740993', '1e-400', '0']) {
      const { problem } = await send(`{"name":"x","traffic_limit":${number}}`);
      expect(new Set(problem.errors?.map(({ pointer }) => pointer)), number).toEqual(new Set(['#/traffic_limit']));
    }
    expect((await send('{"name":"x","traffic_limit":1e3}')).status).toBe(201);
    expect((await send('{"name":"x","traffic_limit":2.0}')).status).toBe(201);
  });

  it('lists all that is wrong, at most a hundred, and repeats nothing of it but names', async () => {
    const body = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`field${index}`, 'secret value']));
    const { problem, text } = await send(JSON.stringify(body));
    expect(problem.errors).toHaveLength(100);
    expect(text).not.toContain('secret value');
    const all = (await send('{"name":"","traffic_limit":0,"device_limit":101,"starts":"never"}')).problem;
    expect(all.errors?.map(({ pointer }) => pointer)).toEqual([
      '#/name',
      '#/traffic_limit',
      '#/device_limit',
      '#/starts',
    ]);
  });

  it('text comes back as it was sent, letter for letter', async () => {
    const name = '𝒜 \u202e"quoted"\\ <b>&amp;</b> Ünïcödé \u{1f1e9}\u{1f1ea} é';
    const answer = await send(JSON.stringify({ name }));
    expect(answer.body.name).toBe(name);
    expect((await panel.read.call('getTariff', { id: answer.body.id })).body.name).toBe(name);
  });
});
