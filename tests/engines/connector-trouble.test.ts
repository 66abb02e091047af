// Real engines that lack a service, end in the middle, are replaced by another, or serve two panels; and one with 10,000 users.
import { describe, expect, test } from 'vitest';
import { connectEngine } from '../../src/engines/connector.ts';
import { type ServerOptions, type ServerProgram, serverConfig, TEST_MARK } from '../support/engine-process.ts';
import { freePort } from '../support/free-port.ts';
import { isFull } from '../support/long.ts';
import { whyWithout } from './found.ts';
import { startProgram } from './real-engine.ts';
import { sampleCredentials, sampleInbound } from './samples.ts';

const ADDRESS = '127.0.0.1';
const inbound = sampleInbound({ protocol: 'vless' });
const change = (userId: number, isAllowed = true) => ({
  inbound,
  user: { userId, credentials: sampleCredentials(userId) },
  isAllowed,
});
const buildChanges = (count: number) => Array.from({ length: count }, (_, index) => change(index + 1));

async function startVless(program: ServerProgram, options: Partial<ServerOptions> = {}) {
  const [apiPort, port] = [options.apiPort ?? (await freePort()), await freePort()];
  const settings = { clients: [], decryption: 'none' };
  const configured = { tag: inbound.tag, listen: ADDRESS, port, protocol: 'vless', settings };
  const engine = await startProgram(program, serverConfig({ ...options, apiPort, inbounds: [configured] }));
  return Object.assign(engine, { apiPort });
}

function connectTo(port: number) {
  const api = connectEngine({ address: ADDRESS, port });
  return Object.assign(api, { [Symbol.dispose]: api.close });
}

for (const program of isFull ? (['xray', 'xray-new', 'v2ray'] as const) : (['xray', 'v2ray'] as const)) {
  const reason = whyWithout(program);
  const name = program === 'v2ray' ? 'v2ray' : 'xray';
  describe.skipIf(reason !== null)(`${program} ${reason ?? ''}`.trim(), () => {
    test('says which engine and which start it is', async () => {
      await using engine = await startVless(program);
      using api = connectTo(engine.apiPort);
      expect(await api.identify()).toEqual({ name, mark: TEST_MARK, uptime: expect.any(Number) });
      expect(await api.counters()).toMatchObject({ boot: TEST_MARK.boot, users: new Map() });
    });

    test('one that no panel has started has no mark', async () => {
      await using engine = await startVless(program, { mark: null });
      using api = connectTo(engine.apiPort);
      expect(await api.identify()).toMatchObject({ name, mark: null });
      expect((await api.counters()).boot).toBeNull();
    });

    test('without the service for users, counters are read and each change says what is missing', async () => {
      await using engine = await startVless(program, { services: ['StatsService'] });
      using api = connectTo(engine.apiPort);
      expect((await api.counters()).boot).toBe(TEST_MARK.boot);
      const message = expect.stringContaining('HandlerService');
      expect(await api.apply([change(1)])).toMatchObject([{ code: 'engine_refused', message }]);
    });

    test('without the service for counters it is no engine that a panel could use', async () => {
      await using engine = await startVless(program, { services: ['HandlerService'] });
      using api = connectTo(engine.apiPort);
      await expect(api.identify()).rejects.toMatchObject({ code: 'engine_refused' });
      await expect(api.counters()).rejects.toMatchObject({ code: 'engine_refused' });
    });

    test('takes 10,000 users, and the same once more', async () => {
      await using engine = await startVless(program);
      using api = connectTo(engine.apiPort);
      const changes = buildChanges(10_000);
      const done = changes.map(() => null);
      expect(await api.apply(changes)).toEqual(done);
      expect(await api.apply(changes)).toEqual(done);
      const ids = changes.map(({ user }) => user.userId);
      const members = await api.members(inbound);
      expect(members?.toSorted((a, b) => a - b) ?? null).toEqual(name === 'xray' ? ids : null);
      expect(await api.apply(buildChanges(10_000).map((one) => ({ ...one, isAllowed: false })))).toEqual(done);
      expect(await api.members(inbound)).toEqual(name === 'xray' ? [] : null);
    });

    test('of two panels neither takes counters or users from the other', async () => {
      await using engine = await startVless(program);
      using first = connectTo(engine.apiPort);
      using second = connectTo(engine.apiPort);
      const changes = buildChanges(200);
      const outcomes = await Promise.all([first.apply(changes), second.apply(buildChanges(300).slice(200))]);
      expect(outcomes.flat().filter((outcome) => outcome !== null)).toEqual([]);
      expect(await second.counters()).toMatchObject({ boot: (await first.counters()).boot });
      if (name === 'xray') expect(await first.members(inbound)).toHaveLength(300);
    });

    test('where it is killed in the middle of changes, that is said at once, and the next one on its port is found', async () => {
      const engine = await startVless(program);
      using api = connectTo(engine.apiPort);
      await api.identify();
      const applying = api.apply(buildChanges(10_000));
      await api.counters();
      await Promise.all([
        expect(applying).rejects.toMatchObject({ code: expect.stringMatching(/^engine_(crashed|unreachable)$/) }),
        engine[Symbol.asyncDispose](),
      ]);
      await expect(api.counters()).rejects.toMatchObject({ code: 'engine_unreachable' });

      const other = name === 'xray' ? 'v2ray' : 'xray';
      const mark = { boot: '99', fingerprint: 'aa' };
      await using _next = await startVless(whyWithout(other) === null ? other : program, {
        apiPort: engine.apiPort,
        mark,
      });
      // While the channel waits to connect once more, calls fail at once.
      await expect.poll(() => api.identify().catch(() => null), { timeout: 60_000 }).toMatchObject({ mark });
      expect(await api.apply([change(1)])).toEqual([null]);
    });
  });
}
