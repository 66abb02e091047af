// Two panels of one database with the machines of two nodes: one is obeyed, the other can only be read, and no engine is restarted over it.
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { joinMachine, runMachine } from '../../src/agent/machine.ts';
import type { PanelOptions } from '../../src/panel/config.ts';
import { openPanel, type Panel } from '../../src/panel/panel.ts';
import { promotePanel } from '../../src/panel/promote.ts';
import { createAdministrator } from '../support/administrator.ts';
import { CHEAP_COST } from '../support/cheap-password.ts';
import { ADMINISTRATOR_CALL, CLI_CALL } from '../support/core.ts';
import { createFakeMachine, type FakeMachine } from '../support/fake-engine.ts';
import { freePort } from '../support/free-port.ts';
import { times } from '../support/long.ts';
import { realLooking } from '../support/node-machine.ts';
import { PASSWORD } from '../support/own-panel.ts';
import { readSeed } from '../support/seed.ts';

const HOST = '127.0.0.1';
const POLL_EVERY_MS = 200;
const POLLED = { timeout: 90_000, interval: 20 };
const PASSPHRASE = 'a passphrase for backups';
const NODES = 2;

/** A panel that is started and stopped, and its data. */
class Place {
  readonly folder: string;
  readonly #options: PanelOptions;
  panel: Panel | null = null;
  /** Ids that it gave, with what they mean. */
  readonly given: string[] = [];

  constructor(parent: string, name: string, port: number) {
    this.folder = join(parent, name, 'data');
    const keyFile = join(parent, name, 'master.key');
    this.#options = {
      folder: this.folder,
      keyFile,
      makesKeyFile: true,
      port,
      rateLimit: 0,
      passwordCost: CHEAP_COST,
      pollEveryMs: POLL_EVERY_MS,
    };
  }
  async start(): Promise<Panel> {
    this.panel ??= await openPanel(this.#options);
    return this.panel;
  }
  async stop(): Promise<void> {
    await this.panel?.close();
    this.panel = null;
  }
  role() {
    return this.panel?.core.call('getRole', {}, ADMINISTRATOR_CALL).body.state;
  }
  /** Creates a user; null: the panel refuses. */
  async write(name: string, tariff_id: number): Promise<number | null> {
    try {
      const made = await this.panel?.core.call('createUser', { name, tariff_id }, ADMINISTRATOR_CALL);
      if (made) this.given.push(`user ${made.body.id}`);
      return made?.body.id ?? null;
    } catch (error) {
      expect(error).toMatchObject({ code: 'superseded' });
      return null;
    }
  }
  statuses() {
    const nodes = this.panel?.core.call('listNodes', { limit: 100, offset: 0 }, ADMINISTRATOR_CALL).body.items ?? [];
    return nodes.map(({ status, error_code }) => error_code ?? status);
  }
}

/** The first panel, with two nodes that it has joined, and a plan. */
async function openScene(stack: AsyncDisposableStack) {
  const parent = mkdtempSync(join(tmpdir(), 'gatehouse-two-'));
  stack.defer(() => rmSync(parent, { recursive: true, force: true }));
  const first = new Place(parent, 'first', await freePort());
  stack.defer(() => first.stop());
  const panel = await first.start();
  await panel.core.local.setUp('admin', PASSWORD);
  const ca = readFileSync(join(first.folder, 'tls', 'ca.pem'), 'utf8');
  const administrator = createAdministrator(panel.panelUrl, ca);
  stack.defer(() => administrator.close());
  await administrator.call('signIn', { name: 'admin', password: PASSWORD });
  const { id: tariffId } = (await administrator.call('createTariff', { name: 'Unlimited' })).body;
  const machines: FakeMachine[] = [];
  for (let number = 0; number < NODES; number += 1) {
    const { id } = (
      await administrator.call('createNode', { name: `Far ${number}`, address: HOST, password: PASSWORD })
    ).body;
    const inbound = { node_id: id, tag: 'in', name: `In ${number}`, protocol: 'vless', port: 443 + number } as const;
    await administrator.call('createInbound', inbound);
    const { token } = (await administrator.call('inviteNode', { id, port: await freePort(), password: PASSWORD })).body;
    const folder = join(parent, `machine-${number}`);
    await joinMachine({ folder, token, host: HOST, waiting: () => {} });
    const machine = createFakeMachine();
    const service = await runMachine({
      folder,
      host: HOST,
      engine: realLooking(machine),
      beatMs: 50,
      startAgainMs: 100,
    });
    stack.defer(() => service.close());
    machines.push(machine);
  }
  await first.write('Anna', tariffId);
  await expect.poll(() => first.statuses(), POLLED).toEqual(['up', 'up']);
  return { parent, first, tariffId, starts: () => machines.map((machine) => machine.starts) };
}

/** mulberry32. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

const seed = readSeed('TWO_PANELS_SEED');

test(`restored elsewhere, in ${times(20, 100)} random orders of starts and stops (TWO_PANELS_SEED=${seed})`, async () => {
  await using stack = new AsyncDisposableStack();
  const { parent, first, tariffId, starts } = await openScene(stack);
  const backup = await first.panel?.core.call('createBackup', { passphrase: PASSPHRASE }, CLI_CALL);
  const file = join(first.folder, 'backups', String(backup?.body.name));
  // Written after the backup, and so on this machine only.
  await first.write('Late', tariffId);

  const second = new Place(parent, 'second', await freePort());
  stack.defer(() => second.stop());
  const restored = await second.start();
  await restored.core.local.restore(file, PASSPHRASE);
  await expect.poll(() => second.statuses(), POLLED).toEqual(['up', 'up']);
  await expect.poll(() => first.role(), POLLED).toBe('superseded');
  // One restart, with the users of the backup.
  const adopted = [2, 2];
  await expect.poll(starts, POLLED).toEqual(adopted);

  const random = createRandom(seed);
  for (let order = 0; order < times(20, 100); order += 1) {
    const place = [first, second][random(2)] ?? first;
    if (place.panel === null) await place.start();
    else await place.stop();
    await first.write(`first ${order}`, tariffId);
    await second.write(`second ${order}`, tariffId);
    if (first.panel !== null) expect([order, first.role()]).toEqual([order, 'superseded']);
    if (second.panel !== null) await expect.poll(() => second.statuses(), POLLED).toEqual(['up', 'up']);
    expect([order, second.role() ?? 'active', starts()]).toEqual([order, 'active', adopted]);
  }
  expect(first.given, 'nothing was written after the other panel was heard of').toEqual(['user 1', 'user 2']);
  expect(new Set([...first.given, ...second.given]).size).toBe(first.given.length + second.given.length);
  expect(existsSync(join(first.folder, 'superseded.json'))).toBe(true);

  // A person decides for the first one again.
  await first.stop();
  await second.start();
  expect(promotePanel(first.folder)).toBe(3);
  await first.start();
  await expect.poll(() => second.role(), POLLED).toBe('superseded');
  await expect.poll(() => first.statuses(), POLLED).toEqual(['up', 'up']);
  expect(first.role()).toBe('active');
  expect(await first.write('Back', tariffId)).toBe(3);
});

test('copied byte for byte, the one that was started later is obeyed for as long as it runs', async () => {
  await using stack = new AsyncDisposableStack();
  const { parent, first, tariffId, starts } = await openScene(stack);
  await first.stop();
  cpSync(join(parent, 'first'), join(parent, 'copy'), { recursive: true });
  await first.start();
  await expect.poll(() => first.statuses(), POLLED).toEqual(['up', 'up']);

  const copy = new Place(parent, 'copy', await freePort());
  stack.defer(() => copy.stop());
  await copy.start();
  await expect.poll(() => copy.statuses(), POLLED).toEqual(['up', 'up']);
  await expect.poll(() => first.statuses(), POLLED).toEqual(['other_panel', 'other_panel']);
  expect([first.role(), copy.role()]).toEqual(['other_panel', 'active']);
  expect(await first.write('Refused', tariffId)).toBeNull();
  expect(await copy.write('Written', tariffId)).toBe(2);

  // Its lease ends.
  await copy.stop();
  await expect.poll(() => first.role(), POLLED).toBe('active');
  await expect.poll(() => first.statuses(), POLLED).toEqual(['up', 'up']);
  expect(starts(), 'no engine was restarted over it').toEqual([1, 1]);
});
