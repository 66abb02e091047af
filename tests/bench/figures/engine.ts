// The connector to an engine: 10,000 users to an empty Xray beside a bare loop of gRPC calls, and the CPU of polling that many.
import { Client, credentials } from '@grpc/grpc-js';
import { connectEngine } from '../../../src/engines/connector.ts';
import { buildAccount } from '../../../src/engines/connector-accounts.ts';
import { encodeAddUser, encodeAlterInbound } from '../../../src/engines/connector-messages.ts';
import { userKey } from '../../../src/engines/connector-names.ts';
import { sampleCredentials, sampleInbound } from '../../engines/samples.ts';
import { serverConfig, startEngineProcess } from '../../support/engine-process.ts';
import { ensurePrograms } from '../../support/engines.ts';
import { freePort } from '../../support/free-port.ts';
import { startChild } from '../child.ts';
import type { Figure } from '../figure.ts';
import { time } from '../rounds.ts';
import { median } from '../statistics.ts';

const ADDRESS = '127.0.0.1';
const USERS = 10_000;
const AT_ONCE = 32;
const POLLS = 20;
const POLL_EVERY_MS = 10_000;

const inbound = sampleInbound({ protocol: 'vless' });
const changes = Array.from({ length: USERS }, (_, index) => ({
  inbound,
  user: { userId: index + 1, credentials: sampleCredentials(index + 1) },
  isAllowed: true,
}));

/** Milliseconds that `work` takes with an Xray of its own, which has no users yet. */
async function timeWithEmpty(path: string, work: (apiPort: number) => Promise<void>): Promise<number> {
  const [apiPort, port] = [await freePort(), await freePort()];
  const settings = { clients: [], decryption: 'none' };
  const configured = { tag: inbound.tag, listen: ADDRESS, port, protocol: 'vless', settings };
  await using _engine = await startEngineProcess('xray', path, serverConfig({ apiPort, inbounds: [configured] }));
  const startedAt = performance.now();
  await work(apiPort);
  return performance.now() - startedAt;
}

async function addByConnector(port: number): Promise<void> {
  const api = connectEngine({ address: ADDRESS, port });
  const outcomes = await api.apply(changes);
  api.close();
  if (outcomes.some((outcome) => outcome !== null)) throw new Error('a user was refused');
}

/** The least that it could be: the same bytes, as many at once, and nothing read but that there is an answer. */
async function addBare(port: number): Promise<void> {
  const client = new Client(`ipv4:${ADDRESS}:${port}`, credentials.createInsecure());
  const type = 'xray.app.proxyman.command.AddUserOperation';
  const requests = changes.map(({ user }) => {
    const bytes = encodeAddUser(userKey(user.userId, inbound.tag), buildAccount('xray', inbound, user));
    return Buffer.from(encodeAlterInbound(inbound.tag, { type, bytes }));
  });
  const path = '/xray.app.proxyman.command.HandlerService/AlterInbound';
  const asIs = (bytes: Buffer) => bytes;
  const add = (request: Buffer) =>
    new Promise<void>((resolve, reject) => {
      client.makeUnaryRequest(path, asIs, asIs, request, (error) => (error ? reject(error) : resolve()));
    });
  const waiting = requests.values();
  const work = async () => {
    for (const request of waiting) await add(request);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  client.close();
}

/** CPU of this process for one poll, ms. */
async function pollCpu(port: number): Promise<number> {
  const api = connectEngine({ address: ADDRESS, port });
  await api.counters();
  const before = process.cpuUsage();
  for (let poll = 0; poll < POLLS; poll += 1) await api.counters();
  const { user, system } = process.cpuUsage(before);
  api.close();
  return (user + system) / 1000 / POLLS;
}

export const engine: Figure = {
  name: 'engine',
  async measure({ scale, printLine }) {
    const { xray } = await ensurePrograms(['xray'], printLine);
    const rows = [];
    if ('path' in xray) {
      const [ours, bare]: [number[], number[]] = [[], []];
      for (let round = 0; round < scale.rounds; round += 1) {
        ours.push(await timeWithEmpty(xray.path, addByConnector));
        bare.push(await timeWithEmpty(xray.path, addBare));
      }
      const ratios = ours.map((ms, round) => ms / (bare[round] ?? Number.NaN));
      const detail = `bare grpc-js ${time(median(bare))}, connector ${time(median(ours))}`;
      const range = [Math.min(...ratios), Math.max(...ratios)] as const;
      rows.push(
        {
          title: '10,000 users to an empty Xray',
          reach: { most: 5 },
          isRatio: false,
          unit: 's',
          value: median(ours) / 1000,
          detail,
        } as const,
        {
          title: 'the same, to a bare loop of gRPC calls',
          reach: { most: 2 },
          isRatio: true,
          value: median(ratios),
          range,
          detail,
        } as const,
      );
    } else printLine(xray.missing);

    const counters = startChild(new URL('../engine-counters.ts', import.meta.url));
    try {
      const cpu = await pollCpu(await counters.call<number>('start', USERS));
      rows.push({
        title: `poll of ${USERS.toLocaleString('en')} users, one in 10 s, share of a core`,
        reach: { most: 0.05 },
        isRatio: true,
        value: cpu / POLL_EVERY_MS,
        detail: `CPU of reading ${(2 * USERS).toLocaleString('en')} counters: ${time(cpu)}`,
      } as const);
    } finally {
      await counters.stop();
    }
    return rows;
  },
};
