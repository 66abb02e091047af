// The vault over a location that a test can lock, empty, change and slow down: its states, and that it never overwrites or loses a key. The
// real keychain is in tests/keychain.
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { ABSENT, createVaultWorld, LOCKED } from '../../../tests/support/key-place.ts';
import { createTestLog } from '../../../tests/support/log.ts';
import { PanelError } from '../../core/kernel/panel-error.ts';
import type { VaultState } from '../../core/ports/ports.ts';
import type { SealedRow } from '../../core/ports/sealed.ts';
import type { Found } from './master-key.ts';
import { formatMasterKey, type MasterKey, newMasterKey } from './master-key.ts';
import { noVault, openVault } from './vault.ts';

const PLACE = 'administrator:totp';

/** A vault with one secret sealed. */
async function used(options?: Parameters<typeof createVaultWorld>[0]) {
  const made = createVaultWorld(options);
  const vault = made.open();
  await vault.refresh();
  await vault.prepare();
  const row = vault.seal(PLACE, 'canary');
  made.rows.push(row);
  return { ...made, vault, row };
}

const refusal = expect.objectContaining({ code: 'vault_unavailable' });
function expectClosed(vault: Awaited<ReturnType<typeof used>>['vault'], row: SealedRow): void {
  expect(() => vault.open(row)).toThrow(PanelError);
  expect(() => vault.seal(PLACE, 'other')).toThrow(PanelError);
}

describe('the key', () => {
  test('is made when the first secret needs it, not before, and once', async () => {
    const { open, keychain } = createVaultWorld();
    const vault = open();
    expect(await vault.refresh()).toBe('unlocked');
    expect(keychain).toMatchObject({ key: null, makes: 0 });
    expect(() => vault.seal(PLACE, 'secret')).toThrow(PanelError);
    await Promise.all([vault.prepare(), vault.prepare(), vault.refresh(), vault.prepare()]);
    expect(keychain.makes).toBe(1);
    expect(vault.open(vault.seal(PLACE, 'secret'))).toBe('secret');
  });

  test('of another start is found again and opens what it sealed', async () => {
    const { open, row } = await used();
    const vault = open();
    expect(await vault.refresh()).toBe('unlocked');
    expect(vault.open(row)).toBe('canary');
    const elsewhere = open('other-panel');
    await elsewhere.refresh();
    expect(() => elsewhere.open(row)).toThrow(PanelError);
  });

  test('shows in no line of the log', async () => {
    const { log, keychain, row, vault } = await used();
    expect(() => vault.open({ ...row, place: 'elsewhere' })).toThrow(PanelError);
    expect(log.lines.length).toBeGreaterThan(2);
    expect(log.lines.join()).not.toContain(formatMasterKey(keychain.key as MasterKey));
    expect(log.lines.join()).not.toContain('canary');
  });
});

describe.each<[VaultState, Found]>([
  ['locked', LOCKED],
  ['absent', ABSENT],
])('a keychain that is %s', (state, trouble) => {
  test('at the start: secrets wait, nothing is made, and all is there once it is back', async () => {
    const { open, keychain, row } = await used();
    keychain.trouble = trouble;
    const vault = open();
    expect(await vault.refresh()).toBe(state);
    expect(vault.reason()).toBe(state);
    expect(vault.backend()).toBe(state === 'absent' ? null : 'test');
    expectClosed(vault, row);
    await expect(vault.prepare()).rejects.toEqual(refusal);
    expect(keychain.makes).toBe(1);
    keychain.trouble = null;
    expect(await vault.refresh()).toBe('unlocked');
    expect(vault.open(row)).toBe('canary');
  });

  test('before the first secret: none can be sealed', async () => {
    const { open, keychain } = createVaultWorld();
    keychain.trouble = trouble;
    const vault = open();
    expect(await vault.refresh()).toBe(state);
    await expect(vault.prepare()).rejects.toEqual(refusal);
    expect(keychain.key).toBeNull();
  });

  test('while the panel runs: it keeps the key it has', async () => {
    const { vault, keychain, row, log } = await used();
    keychain.trouble = trouble;
    expect(await vault.refresh()).toBe('unlocked');
    expect(vault.open(row)).toBe('canary');
    await vault.prepare();
    expect(log.lines.at(-1)).toContain('unlocked');
    expect(log.lines.join()).toContain('which is no longer stored');
  });
});

describe('another key in the entry', () => {
  test('opens nothing, is not written over, and does no harm once the former is back', async () => {
    const { open, keychain, row } = await used();
    const former = keychain.key;
    const other = newMasterKey();
    keychain.key = other;
    const vault = open();
    expect(await vault.refresh()).toBe('changed');
    expectClosed(vault, row);
    await expect(vault.prepare()).rejects.toEqual(refusal);
    expect(keychain.key).toBe(other);
    keychain.key = former;
    expect(await vault.refresh()).toBe('unlocked');
    expect(vault.open(row)).toBe('canary');
  });

  test('is taken where no secret is sealed yet', async () => {
    const { open, keychain } = createVaultWorld();
    const present = newMasterKey();
    keychain.key = present;
    const vault = open();
    expect(await vault.refresh()).toBe('unlocked');
    await vault.prepare();
    expect(vault.seal(PLACE, 'x').keyId).toBe(present.id);
  });

  test('is noticed while the panel runs', async () => {
    const { vault, keychain, row } = await used();
    const other = newMasterKey();
    keychain.key = other;
    expect(await vault.refresh()).toBe('changed');
    expect(vault.reason()).toBe('changed');
    expect(keychain).toMatchObject({ key: other, makes: 1 });
    expectClosed(vault, row);
  });

  test('of which the place itself says so closes the vault, also while the panel runs', async () => {
    const { vault, keychain, row } = await used();
    keychain.trouble = { kind: 'unusable', state: 'changed', reason: 'key_file_changed', detail: 'test' };
    expect(await vault.refresh()).toBe('changed');
    expectClosed(vault, row);
  });
});

describe('a deleted entry', () => {
  test('is never replaced by a new key while secrets are sealed', async () => {
    const { open, keychain, row } = await used();
    const former = keychain.key;
    keychain.key = null;
    const vault = open();
    expect(await vault.refresh()).toBe('deleted');
    expectClosed(vault, row);
    await expect(vault.prepare()).rejects.toEqual(refusal);
    expect(keychain).toMatchObject({ key: null, makes: 1 });
    keychain.key = former;
    expect(await vault.refresh()).toBe('unlocked');
    expect(vault.open(row)).toBe('canary');
  });

  test('while the panel runs is put back, and the log says so', async () => {
    const { vault, keychain, row, log } = await used();
    const former = keychain.key;
    keychain.key = null;
    expect(await vault.refresh()).toBe('unlocked');
    expect(keychain.key).toBe(former);
    expect(vault.open(row)).toBe('canary');
    expect(log.lines.join()).toContain('stores its key again');
  });

  test('of a place that takes nothing back stays away, and the key goes on', async () => {
    const { vault, keychain, row } = await used({ restoresKey: false });
    keychain.key = null;
    expect(await vault.refresh()).toBe('unlocked');
    expect(keychain).toMatchObject({ key: null, makes: 1 });
    expect(vault.open(row)).toBe('canary');
  });

  test('gives way to a new key once no secret is sealed any more', async () => {
    const { vault, keychain, rows, row } = await used();
    const former = keychain.key;
    keychain.key = null;
    rows.length = 0;
    expect(await vault.refresh()).toBe('unlocked');
    expect(() => vault.seal(PLACE, 'x')).toThrow(PanelError);
    await vault.prepare();
    expect(keychain.makes).toBe(2);
    expect(vault.seal(PLACE, 'x').keyId).not.toBe(former?.id);
    expect(() => vault.open(row)).toThrow(PanelError);
  });
});

describe('a keychain that does not answer', () => {
  test('is locked until it does, and the state then follows by itself', async () => {
    const { open, keychain, row, hang } = await used({ patienceMs: 5 });
    const answer = hang();
    const vault = open();
    const finds = keychain.finds;
    expect(await vault.refresh()).toBe('locked');
    expectClosed(vault, row);
    expect(await vault.refresh()).toBe('locked');
    expect(keychain.finds).toBe(finds + 1);
    answer();
    await expect.poll(() => vault.state()).toBe('unlocked');
    expect(vault.open(row)).toBe('canary');
  });

  test('is dropped and read again where that is possible', async () => {
    const { open, keychain, row, hang } = await used({ patienceMs: 5, canAbort: true });
    hang();
    const vault = open();
    expect(await vault.refresh()).toBe('locked');
    const finds = keychain.finds;
    expect(await vault.refresh()).toBe('unlocked');
    expect(keychain.finds).toBe(finds + 1);
    expect(vault.open(row)).toBe('canary');
  });

  test('while a key is made: the secret is refused, and the next one has the key', async () => {
    const { open, keychain, hang } = createVaultWorld({ patienceMs: 5 });
    const vault = open();
    await vault.refresh();
    const answer = hang();
    await expect(vault.prepare()).rejects.toEqual(refusal);
    answer();
    await expect.poll(() => vault.state()).toBe('unlocked');
    await vault.prepare();
    expect(vault.seal(PLACE, 'x').keyId).toBe(keychain.key?.id);
  });

  test('with a key closes nothing', async () => {
    const { vault, row, hang } = await used({ patienceMs: 5 });
    hang();
    expect(await vault.refresh()).toBe('unlocked');
    expect(vault.open(row)).toBe('canary');
  });

  test('until the store is closed does no harm', async () => {
    const { open, hang, log, rows } = await used({ patienceMs: 5 });
    const answer = hang();
    expect(await open().refresh()).toBe('locked');
    Object.defineProperty(rows, 0, {
      get() {
        throw new Error('the database is closed');
      },
    });
    answer();
    await expect.poll(() => log.lines.at(-1)).toContain('the database is closed');
  });
});

describe('the log', () => {
  const parseLines = (log: { readonly lines: readonly string[] }) => log.lines.map((line) => JSON.parse(line));

  test('has the state, its reason and the place, and what is wrong where something is', async () => {
    const { log, vault, keychain } = await used();
    expect(parseLines(log)[0]).toEqual({
      level: 'info',
      event: 'vault',
      state: 'unlocked',
      reason: 'unlocked',
      backend: 'test',
    });
    keychain.trouble = LOCKED;
    await vault.refresh();
    expect(parseLines(log).at(-2)).toMatchObject({ level: 'warn', found: 'unusable', backend: 'test' });
    keychain.trouble = null;
    keychain.key = null;
    await vault.refresh();
    expect(parseLines(log).at(-2)).toMatchObject({ level: 'warn', backend: 'test' });
    const { log: other, open, keychain: locked } = createVaultWorld();
    locked.trouble = LOCKED;
    await open().refresh();
    const detail = LOCKED.kind === 'unusable' ? LOCKED.detail : '';
    expect(parseLines(other)).toEqual([
      { level: 'warn', event: 'vault', state: 'locked', reason: 'locked', backend: 'test', detail },
    ]);
  });

  test('says which secret does not open', async () => {
    const { log, vault, row } = await used();
    expect(() => vault.open({ ...row, ciphertext: row.ciphertext.slice(1) })).toThrow(refusal);
    expect(parseLines(log).at(-1)).toEqual({ level: 'error', event: 'a sealed secret does not open', place: PLACE });
  });
});

describe('a vault with a key file', () => {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  function openIn(folder: string, changes: { readonly keyFile?: string; readonly keyId?: string } = {}) {
    const keyFile = changes.keyFile ?? join(folder, 'key');
    const sealed = { keyId: () => changes.keyId ?? null };
    return openVault({ instanceId: 'a1b2', sealed, keyFile, dataFolder: join(folder, 'data'), log: createTestLog() });
  }
  function newFolder(): string {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-vault-'));
    mkdirSync(join(folder, 'data'));
    folders.push(folder);
    return folder;
  }

  test('has its key from the start, and again at the next one', async () => {
    const folder = newFolder();
    const vault = await openIn(folder);
    expect([vault.state(), vault.reason(), vault.backend()]).toEqual(['headless', 'headless', 'key-file']);
    expect(readdirSync(folder).sort()).toEqual(['data', 'key']);
    const row = vault.seal(PLACE, 'canary');
    const next = await openIn(folder, { keyId: row.keyId });
    expect(next.open(row)).toBe('canary');
  });

  test('makes none in the data folder, and none where another was lost', async () => {
    const folder = newFolder();
    const inside = await openIn(folder, { keyFile: join(folder, 'data', 'key') });
    expect([inside.state(), inside.reason()]).toEqual(['locked', 'key_file_unsafe']);
    const lost = await openIn(folder, { keyId: '0123456789abcdef' });
    expect([lost.state(), lost.reason()]).toEqual(['deleted', 'key_file_missing']);
    expect([readdirSync(folder), readdirSync(join(folder, 'data'))]).toEqual([['data'], []]);
  });
});

test('no vault has no secrets', async () => {
  expect([noVault.state(), noVault.reason(), noVault.backend()]).toEqual(['absent', 'absent', null]);
  expect(await noVault.refresh()).toBe('absent');
  await expect(noVault.prepare()).rejects.toEqual(refusal);
  expect(() => noVault.seal(PLACE, 'x')).toThrow(refusal);
  const row = { place: PLACE, keyId: 'x', nonce: new Uint8Array(12), ciphertext: new Uint8Array(20) };
  expect(() => noVault.open(row)).toThrow(refusal);
});

describe('a vault that is closed', () => {
  test.each([true, false])(
    'asks the store no more when the keychain answers late (it can be aborted: %s)',
    async (canAbort) => {
      const { vault, hang, store, log } = await used({ patienceMs: 1, canAbort });
      const answer = hang();
      await vault.refresh();
      vault.close();
      const [reads, lines] = [store.reads, log.lines.length];
      answer();
      for (let turn = 0; turn < 10; turn += 1) await setImmediate();
      expect([store.reads, log.lines.length]).toEqual([reads, lines]);
    },
  );
});
