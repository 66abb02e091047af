// Panels with copies of one database, and the machines of the nodes that the first of them has joined.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { joinMachine, runMachine } from '../../src/agent/machine.ts';
import type { PanelOptions } from '../../src/panel/config.ts';
import { openPanel, type Panel } from '../../src/panel/panel.ts';
import { type Administrator, createAdministrator } from './administrator.ts';
import { CHEAP_COST } from './cheap-password.ts';
import { ADMINISTRATOR_CALL, CLI_CALL } from './core.ts';
import { createFakeMachine, type FakeMachine } from './fake-engine.ts';
import { freePort } from './free-port.ts';
import { realLooking } from './node-machine.ts';
import { PASSWORD } from './own-panel.ts';

const HOST = '127.0.0.1';
const POLL_EVERY_MS = 200;
export const POLLED = { timeout: 90_000, interval: 20 };
const PASSPHRASE = 'a passphrase for backups';
const NODES = 2;

/** A panel that is started and stopped, and its data. */
export class Place {
  readonly folder: string;
  readonly #options: PanelOptions;
  panel: Panel | null = null;
  /** Ids that it gave, with what they mean. */
  readonly given: string[] = [];

  constructor(parent: string, name: string, port: number, pollEveryMs = POLL_EVERY_MS) {
    this.folder = join(parent, name, 'data');
    const keyFile = join(parent, name, 'master.key');
    this.#options = {
      folder: this.folder,
      keyFile,
      makesKeyFile: true,
      port,
      rateLimit: 0,
      passwordCost: CHEAP_COST,
      pollEveryMs,
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
  /** As the administrator's browser; `stack` closes it. */
  async signIn(stack: AsyncDisposableStack): Promise<Administrator> {
    const ca = readFileSync(join(this.folder, 'tls', 'ca.pem'), 'utf8');
    const administrator = createAdministrator(this.panel?.panelUrl ?? '', ca);
    stack.defer(() => administrator.close());
    await administrator.call('signIn', { name: 'admin', password: PASSWORD });
    return administrator;
  }
  async backUp(): Promise<string> {
    const made = await this.panel?.core.call('createBackup', { passphrase: PASSPHRASE }, CLI_CALL);
    return join(this.folder, 'backups', String(made?.body.name));
  }
  /** A backup of another place. */
  async restore(file: string): Promise<void> {
    await this.panel?.core.local.restore(file, PASSPHRASE);
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
export async function openTwoPanels(stack: AsyncDisposableStack, pollEveryMs = POLL_EVERY_MS) {
  const parent = mkdtempSync(join(tmpdir(), 'gatehouse-two-'));
  stack.defer(() => rmSync(parent, { recursive: true, force: true }));
  const first = new Place(parent, 'first', await freePort(), pollEveryMs);
  stack.defer(() => first.stop());
  const panel = await first.start();
  await panel.core.local.setUp('admin', PASSWORD);
  const administrator = await first.signIn(stack);
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
  return { parent, first, administrator, tariffId, starts: () => machines.map((machine) => machine.starts) };
}
