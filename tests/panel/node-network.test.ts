// A panel behind NAT and three machines in network namespaces: it moves, its cable is cut for hours, it is killed, and strangers come by.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensurePackages } from '../../scripts/system-packages.ts';
import { namespacePrefix } from '../../scripts/test-run.ts';
import type { Commands } from './network-process.ts';

const PROCESS = join(import.meta.dirname, 'network-process.ts');
const HOUR = 3_600_000;
const PORT = 8450;
const POLL = { timeout: 120_000, interval: 200 };
const MARK = namespacePrefix();
const NODES = [1, 2, 3];
const NAME = 'links.example.com';
const buildAddress = (node: number) => `10.77.9.1${node}`;

const sh = (line: string) => execFileSync('sh', ['-c', line], { stdio: 'pipe' });
const inside = (space: string, line: string) => sh(`ip netns exec ${MARK}${space} ${line}`);

/** Null: namespaces can be made here. */
async function whyWithoutNamespaces(): Promise<string | null> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'needs root on Linux';
  const missing = await ensurePackages({ ip: 'iproute2', nft: 'nftables' });
  if (missing !== null) return missing;
  try {
    sh(`ip netns add ${MARK}x && ip netns del ${MARK}x`);
    return null;
  } catch {
    return 'needs a kernel that lets network namespaces be made';
  }
}

/** The panel is behind a router that translates its address; the machines are on one network with that. */
function build(): void {
  for (const space of ['p', 'r', ...NODES]) {
    sh(`ip netns add ${MARK}${space}`);
    inside(String(space), 'ip link set lo up');
  }
  sh(`ip link add ${MARK}a netns ${MARK}p type veth peer name inner netns ${MARK}r`);
  inside('p', `ip link set ${MARK}a name up0`);
  inside('p', 'ip addr add 10.77.1.2/24 dev up0');
  inside('p', 'ip link set up0 up');
  inside('r', 'ip addr add 10.77.1.1/24 dev inner');
  inside('r', 'ip link set inner up');
  inside('p', 'ip route add default via 10.77.1.1');
  inside('r', 'ip link add outer type bridge');
  inside('r', 'ip addr add 10.77.9.1/24 dev outer');
  inside('r', 'ip link set outer up');
  for (const node of NODES) {
    sh(`ip link add n${node} netns ${MARK}r type veth peer name up0 netns ${MARK}${node}`);
    inside('r', `ip link set n${node} master outer up`);
    inside(String(node), `ip addr add ${buildAddress(node)}/24 dev up0`);
    inside(String(node), 'ip link set up0 up');
  }
  inside('r', 'sysctl -qw net.ipv4.ip_forward=1');
  inside('r', "nft 'add table ip nat; add chain ip nat post { type nat hook postrouting priority 100; }'");
  inside('r', "nft 'add rule ip nat post ip saddr 10.77.1.0/24 oifname outer masquerade'");
}

function open(space: string) {
  const child: ChildProcess = spawn('ip', ['netns', 'exec', `${MARK}${space}`, process.execPath, PROCESS], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  let last = 0;
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  child.on('message', ({ id, result, error }: { id: number; result?: unknown; error?: string }) => {
    if (error === undefined) waiting.get(id)?.resolve(result);
    else waiting.get(id)?.reject(new Error(error));
    waiting.delete(id);
  });
  return {
    call<Name extends keyof Commands>(name: Name, ...args: Parameters<Commands[Name]>) {
      last += 1;
      const done = Promise.withResolvers<unknown>();
      waiting.set(last, done);
      child.send({ id: last, name, args });
      return done.promise as Promise<Awaited<ReturnType<Commands[Name]>>>;
    },
    async kill() {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

const why = await whyWithoutNamespaces();
if (why !== null) console.warn(`\n  !!! NODES IN NAMESPACES ARE NOT TESTED: ${why}\n`);

describe.skipIf(why !== null)(`a fleet behind NAT ${why === null ? '' : `(${why})`}`, () => {
  const parent = mkdtempSync(join(tmpdir(), 'gatehouse-network-'));
  /** Where it is not the usual one. */
  const folders = new Map<number, string>();
  const getFolder = (node: number) => folders.get(node) ?? join(parent, `machine-${node}`);
  const panelFolder = join(parent, 'panel');
  let panel: ReturnType<typeof open>;
  let machines: ReturnType<typeof open>[] = [];
  const nodes: { nodeId: number; inboundId: number; token: string }[] = [];
  let moved = 0;

  // biome-ignore lint/suspicious/noExplicitAny: what an operation answers, over a channel between processes.
  const act = async (id: string, input: object): Promise<any> => {
    const { status, body } = await panel.call('act', id as never, input as never);
    expect([id, (status ?? 0) < 300]).toEqual([id, true]);
    return body;
  };
  const getMachine = (node: number) => {
    const found = machines[node - 1];
    if (!found) throw new Error('no such machine');
    return found;
  };
  const getInboundId = (node: number) => nodes[node - 1]?.inboundId ?? 0;
  const newUser = async (more: object = {}) => {
    const { id, sub_url } = await act('createUser', { name: 'Anna', tariff_id: 1, ...more });
    for (const node of NODES) await expect.poll(() => isIn(node, id), POLL).toBe(true);
    return { id: id as number, path: new URL(sub_url).pathname };
  };
  const isIn = (node: number, id: number) => getMachine(node).call('isIn', id, getInboundId(node));
  const move = async (node: number, id: number, down: number) => {
    expect(await getMachine(node).call('move', id, getInboundId(node), down)).toBe(true);
    moved += down;
  };
  const readTotalDown = async (id: number) => (await act('getUser', { id })).total_down as number;
  const start = async (node: number) => {
    machines[node - 1] = open(String(node));
    await getMachine(node).call('run', getFolder(node), NAME);
  };
  const advance = async (ms: number) => {
    await Promise.all([panel, ...machines].map((each) => each.call('advance', ms)));
  };

  beforeAll(async () => {
    build();
    panel = open('p');
    machines = NODES.map((node) => open(String(node)));
    await panel.call('openPanel', panelFolder);
    await act('createTariff', { name: 'Unlimited' });
    for (const node of NODES) {
      const address = buildAddress(node);
      const { id: nodeId } = await act('createNode', { name: `N${node}`, kind: 'remote', address });
      const inbound = { node_id: nodeId, tag: `in${node}`, name: 'In', protocol: 'vless', port: 1000 + node };
      const { id: inboundId } = await act('createInbound', inbound);
      const { token } = await act('inviteNode', { id: nodeId, port: PORT, password: 'correct horse battery' });
      await getMachine(node).call('join', getFolder(node), token, 120_000);
      await getMachine(node).call('run', getFolder(node), NAME);
      nodes.push({ nodeId, inboundId, token });
    }
  });
  afterAll(async () => {
    await Promise.all([panel, ...machines].map((each) => each?.kill()));
    for (const space of ['p', 'r', ...NODES]) sh(`ip netns del ${MARK}${space} || true`);
    rmSync(parent, { recursive: true, force: true });
  });

  it('is reached by its panel, which may move to another address', async () => {
    const { id } = await newUser();
    for (const node of NODES) await move(node, id, 1000 * node);
    await expect.poll(() => readTotalDown(id), POLL).toBe(6000);
    inside('p', 'ip addr del 10.77.1.2/24 dev up0');
    inside('p', 'ip addr add 10.77.1.77/24 dev up0');
    inside('p', 'ip route replace default via 10.77.1.1');
    for (const node of NODES) await move(node, id, 10_000);
    await expect.poll(() => readTotalDown(id), POLL).toBe(36_000);
  });

  it('lets no stranger in, and none changes anything', async () => {
    const before = await getMachine(1).call('state', getFolder(1));
    const stranger = open('2');
    const tryAt = async (own: Awaited<ReturnType<Commands['readIdentity']>> | null) =>
      stranger.call('tryWith', own, buildAddress(1), PORT);
    expect(await tryAt(null)).toBe('refused');
    expect(await tryAt(await stranger.call('foreign'))).toBe('refused');
    expect(await tryAt(await panel.call('readMachineKey', getFolder(2))), "another node's").toBe('refused');
    expect(await stranger.call('tryJoin', buildAddress(1), PORT, 'a1'.repeat(32)), 'it is joined').toBe(
      'engine_unreachable',
    );
    expect(await getMachine(1).call('state', getFolder(1))).toEqual(before);
    expect(await tryAt(await panel.call('readIdentity', panelFolder)), 'what was asked is answered').toBe('answered');
    await stranger.kill();
  });

  it('joins no machine whose token was used, or that has another secret', async () => {
    const stranger = open('2');
    const late = open('3');
    await getMachine(3).kill();
    const readNode = async (id: number) => {
      const { joined, updated_at } = await act('getNode', { id });
      return { joined, updated_at };
    };
    const [, , third] = nodes;
    const used = third?.token ?? '';
    const before = await readNode(third?.nodeId ?? 0);
    const folder = join(parent, 'late');
    // The panel does not wait for it any more, and who does not know its secret is no panel.
    const replayed = late.call('join', folder, used, 8000).catch(String);
    await expect
      .poll(() => stranger.call('tryJoin', buildAddress(3), PORT, 'b2'.repeat(32)), POLL)
      .toBe('engine_unreachable');
    expect(await replayed).toContain('No panel came');
    expect(await readNode(third?.nodeId ?? 0)).toEqual(before);
    // The panel waits, but for a machine with another secret.
    const { id } = await act('createNode', { name: 'N4', kind: 'remote', address: buildAddress(3) });
    const unjoined = await readNode(id);
    const { token } = await act('inviteNode', { id, port: PORT, password: 'correct horse battery' });
    const wrong = `${token.slice(0, -2)}${token.endsWith('00') ? '11' : '00'}`;
    expect(await late.call('join', folder, wrong, 8000).catch(String)).toContain('No panel came');
    expect(await readNode(id)).toEqual({ ...unjoined, joined: false });
    expect(existsSync(join(folder, 'node.json'))).toBe(false);
    await act('deleteNode', { id });
    await Promise.all([late.kill(), stranger.kill()]);
    await start(3);
  });

  it('has nothing to do with a machine that has another key, or that was replaced', async () => {
    const id = nodes[1]?.nodeId ?? 0;
    const readStatus = async () => {
      const { status, error_code } = await act('getNode', { id });
      return [status, error_code];
    };
    /** The machine of the second node serves who it served, and the panel neither changes that nor counts what moves there. */
    const expectRefused = async (folder: string, known: number) => {
      await expect.poll(() => isIn(2, known), POLL).toBe(true);
      const [before, total] = [await getMachine(2).call('state', folder), await readTotalDown(known)];
      await expect.poll(readStatus, POLL).toEqual(['down', 'engine_unreachable']);
      const { id: next, sub_url } = await act('createUser', { name: 'Boris', tariff_id: 1 });
      for (const node of [1, 3]) await expect.poll(() => isIn(node, next), POLL).toBe(true);
      expect(await getMachine(2).call('move', known, getInboundId(2), 9)).toBe(true);
      await move(1, known, 1);
      await expect.poll(() => readTotalDown(known), POLL).toBe(total + 1);
      expect(await getMachine(2).call('state', folder)).toEqual(before);
      expect(await readStatus()).toEqual(['down', 'engine_unreachable']);
      return { id: next as number, path: new URL(sub_url).pathname };
    };
    // An engine has a user before the lease with that user is on the machine's disk. Links are answered from the lease.
    const killOnceLeased = async ({ path }: { path: string }) => {
      await expect.poll(() => getMachine(1).call('fetch', buildAddress(2), path), POLL).toBe(200);
      await getMachine(2).kill();
    };
    const known = await newUser();
    await killOnceLeased(known);
    const joined = await panel.call('changeKey', getFolder(2));
    await start(2);
    const second = await expectRefused(getFolder(2), known.id);
    await getMachine(2).kill();
    writeFileSync(join(getFolder(2), 'node.json'), joined);
    await start(2);
    await expect.poll(() => isIn(2, second.id), POLL).toBe(true);
    // What it counted under the other key is in its ledger.
    moved += 9;
    await expect.poll(() => readTotalDown(known.id), POLL).toBe(10);

    // Another machine in its place: the key of the former is unknown from then on.
    await killOnceLeased(second);
    const former = getFolder(2);
    folders.set(2, join(parent, 'machine-2-next'));
    const { token } = await act('inviteNode', { id, port: PORT, password: 'correct horse battery' });
    machines[1] = open('2');
    await getMachine(2).call('join', getFolder(2), token, 120_000);
    await getMachine(2).call('run', getFolder(2), NAME);
    await expect.poll(() => isIn(2, second.id), POLL).toBe(true);
    await getMachine(2).kill();
    machines[1] = open('2');
    await getMachine(2).call('run', former, NAME);
    const third = await expectRefused(former, second.id);
    await getMachine(2).kill();
    await start(2);
    await expect.poll(() => isIn(2, third.id), POLL).toBe(true);
  });

  it('goes on by its lease while its cable is cut for hours, and is of one mind with the panel afterwards', async () => {
    const now = await panel.call('advance', 0);
    const ends = new Date(now + 2 * HOUR).toISOString();
    const expiring = await newUser({ expires_at: ends });
    const limited = await newUser({ traffic_limit: 1_000_000 });
    const free = await newUser();
    for (const node of NODES) inside('r', `ip link set n${node} down`);
    await move(1, free.id, 5);
    await advance(2 * HOUR - 60_000);
    expect(await isIn(1, expiring.id)).toBe(true);
    await move(1, expiring.id, 7);
    await advance(60_000);
    for (const node of NODES) await expect.poll(() => isIn(node, expiring.id), POLL).toBe(false);
    // Each may give the rest of the limit and no more: it is less than what a node may exceed it by.
    for (const node of NODES) {
      await move(node, limited.id, 1_000_000);
      await expect.poll(() => isIn(node, limited.id), POLL).toBe(false);
      await move(node, free.id, 1000);
    }
    await advance(3 * HOUR);
    await move(2, free.id, 50_000);
    for (const node of NODES) inside('r', `ip link set n${node} up`);
    await expect.poll(() => readTotalDown(free.id), POLL).toBe(53_005);
    await expect.poll(() => readTotalDown(limited.id), POLL).toBe(3_000_000);
    await expect.poll(() => readTotalDown(expiring.id), POLL).toBe(7);
    expect((await act('getUser', { id: expiring.id })).state).toBe('expired');
    expect((await act('getUser', { id: limited.id })).state).toBe('limited');
    const sum = async () => {
      const { items } = await act('listUsers', {});
      return items.reduce((all: number, { total_down }: { total_down: number }) => all + total_down, 0);
    };
    await expect.poll(sum, POLL).toBe(moved);
    const { id } = await newUser();
    expect(await Promise.all(NODES.map((node) => isIn(node, id)))).toEqual([true, true, true]);
  });

  it('serves the links of users while the panel is killed', async () => {
    const { id, path } = await newUser();
    const linkAt = (node: number) => getMachine((node % NODES.length) + 1).call('fetch', buildAddress(node), path);
    for (const node of NODES) await expect.poll(() => linkAt(node), POLL).toBe(200);
    await panel.kill();
    for (const node of NODES) {
      expect(await linkAt(node)).toBe(200);
      await move(node, id, 10);
    }
    panel = open('p');
    await panel.call('advance', 5 * HOUR);
    await panel.call('openPanel', panelFolder);
    await expect.poll(() => readTotalDown(id), POLL).toBe(30);
  });
});
