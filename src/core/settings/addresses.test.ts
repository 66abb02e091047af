// An unconfirmed change of the listening address is undone after a minute, whatever happens in between.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { certificateMaker } from '../../adapters/certificates/connection-certificates.ts';
import { nodeCrypto } from '../../adapters/crypto.ts';
import { createPasswordHasher } from '../../adapters/passwords.ts';
import { totp } from '../../adapters/totp.ts';
import { noVault } from '../../adapters/vault/vault.ts';
import { openStore } from '../../store/index.ts';
import { createCore } from '../create-core.ts';
import type { Core } from '../kernel/core.ts';
import { PanelError } from '../kernel/panel-error.ts';
import type { Call } from '../ports/call.ts';
import type { ListenAddress, Listeners } from '../ports/host.ts';
import type { Store } from '../ports/ports.ts';

const PASSWORD = 'correct horse battery';
const NEW_PLACE: ListenAddress = { host: '127.0.0.1', port: 9000 };
const START = Date.UTC(2026, 10, 20);

let folder = '';
let store: Store;
let core: Core;
let now = START;
let ticks: (() => void)[] = [];
let done: string[] = [];
let place: ListenAddress | null = null;

const listeners: Listeners = {
  place: () => place,
  async tryAt({ port }) {
    if (port === 1) throw new PanelError('address_in_use');
    done.push(`try ${port}`);
  },
  async acceptTrial() {
    done.push('keep');
  },
  async cancelTrial() {
    done.push('drop');
  },
  async serveLinksAt(place) {
    if (place?.port === 1) throw new PanelError('address_in_use');
    done.push(`links ${place?.port ?? 'off'}`);
  },
};

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-addresses-'));
  store = openStore(join(folder, 'panel.db'));
  store.write(() => store.settings.set({ secretPath: 's'.repeat(32), port: 8443, instanceId: 'test' }));
  [now, ticks, done, place] = [START, [], [], null];
  core = createCore({
    store,
    clock: { now: () => now },
    timers: {
      every: (_ms, work) => {
        ticks.push(work);
        return () => {
          ticks = ticks.filter((tick) => tick !== work);
        };
      },
      after: () => () => {},
      soon: queueMicrotask,
    },
    crypto: nodeCrypto,
    passwords: createPasswordHasher(8),
    vault: noVault,
    totp,
    certificateMaker,
    log: { info() {}, warn() {}, error() {} },
    heavy: null,
    command: 'npx panel',
    host: () => ({
      listeners,
      network: { origins: () => [], connect: async () => 'reached' },
      certificates: null,
      acme: null,
    }),
    version: '0',
    origin: () => 'https://127.0.0.1:8443',
  });
  await core.local.setUp('admin', PASSWORD);
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

const actor = { kind: 'administrator', id: 1, name: 'admin', access: 'full' } as const;
const CALL: Call = { actor, requestId: 'test', address: '127.0.0.1' };
async function change(input: object): Promise<{ confirm_token: string | null }> {
  const reply = await core.call('changeAddresses', { password: PASSWORD, ...input }, CALL);
  return reply.body;
}
const confirm = (token: string | null, isOnTrial = true) =>
  core.call('confirmAddresses', { token: token ?? '' }, { ...CALL, ...(isOnTrial && { isOnTrial }) });
const tick = () => {
  for (const each of [...ticks]) each();
};

describe('a new listening place', () => {
  it('is dropped after a minute without a confirmation, and its token is then worth nothing', async () => {
    const { confirm_token: token } = await change(NEW_PLACE);
    now += 59_999;
    tick();
    expect(done).toEqual(['try 9000']);
    now += 1;
    tick();
    expect(done).toEqual(['try 9000', 'drop']);
    await expect(confirm(token)).rejects.toThrow('not_found');
    expect(store.settings.get().port).toBe(8443);
    expect(ticks).toEqual([]);
  });

  it('is kept when it is confirmed from there, once', async () => {
    const { confirm_token: token } = await change(NEW_PLACE);
    await expect(confirm(token, false)).rejects.toThrow('not_found');
    await confirm(token);
    await expect(confirm(token)).rejects.toThrow('not_found');
    now += 120_000;
    tick();
    expect(done).toEqual(['try 9000', 'keep']);
    expect(store.settings.get()).toMatchObject(NEW_PLACE);
  });

  it('is one at a time', async () => {
    await change(NEW_PLACE);
    await expect(change({ port: 9001 })).rejects.toThrow('unavailable');
    expect(done).toEqual(['try 9000']);
  });

  it('that is asked for again, as its reply was lost, gets another token and its minute again', async () => {
    const { confirm_token: lost } = await change(NEW_PLACE);
    now += 50_000;
    const { confirm_token: token } = await change(NEW_PLACE);
    expect(done).toEqual(['try 9000']);
    now += 50_000;
    tick();
    await expect(confirm(lost)).rejects.toThrow('not_found');
    await confirm(token);
    expect(done).toEqual(['try 9000', 'keep']);
    expect(ticks).toEqual([]);
  });

  it('is not even tried with a wrong password, nor where the rest of the change is refused', async () => {
    await expect(change({ ...NEW_PLACE, password: 'wrong' })).rejects.toThrow('wrong_password');
    expect(done).toEqual([]);
    await expect(change({ ...NEW_PLACE, links_port: 9100, sub_path: 's'.repeat(32) })).rejects.toThrow('validation');
    expect(done).toEqual([]);
    expect(store.settings.get()).toMatchObject({ port: 8443, linksPort: null, subPath: 'sub' });
  });

  it('keeps the port that the start has named for this run, and stores it where that is asked', async () => {
    place = { host: '127.0.0.1', port: 9443 };
    await change({ host: 'localhost' });
    expect(done).toEqual(['try 9443']);
    now += 60_000;
    tick();
    expect((await core.call('getAddresses', {}, CALL)).body).toMatchObject(place);
    expect((await change({ port: 9443 })).confirm_token).toBeNull();
    expect(done).toEqual(['try 9443', 'drop']);
    expect(store.settings.get().port).toBe(9443);
  });

  it('stays on this machine over plain HTTP', async () => {
    await expect(change({ host: '0.0.0.0' })).rejects.toThrow('validation');
    expect(done).toEqual([]);
  });

  it('leaves the panel as it is where it cannot be listened on', async () => {
    await expect(change({ port: 1 })).rejects.toThrow('address_in_use');
    await expect(change({ ...NEW_PLACE, links_port: 1 })).rejects.toThrow('address_in_use');
    expect(done).toEqual(['try 9000', 'drop']);
    expect(store.settings.get()).toMatchObject({ port: 8443, linksPort: null });
  });
});
