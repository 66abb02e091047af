// A mark covers every fact of a backup that a restore relies on, and nothing else.
import { describe, expect, test } from 'vitest';
import { newMasterKey, openWith, sealWith } from '../../adapters/vault/master-key.ts';
import { PanelError } from '../../core/kernel/panel-error.ts';
import type { Vault } from '../../core/ports/ports.ts';
import type { BackupHeader, BackupManifest } from './manifest.ts';
import { isMarked, makeMark } from './signature.ts';

const header: BackupHeader = {
  version: '1.0.0',
  created_at: 1000,
  database_bytes: 4096,
  secrets: 'none',
  key: null,
};
const manifest: Omit<BackupManifest, 'mark'> = {
  schema: 1,
  database_bytes: 4096,
  counts: { users: 2, api_keys: 1 },
  links_at: null,
  secrets: { b: '1', a: '2' },
  left_out: [],
  authority: null,
  certificates: {},
};
const DATABASE = 'd'.repeat(64);

function createTestVault(): Vault {
  const key = newMasterKey();
  return {
    state: () => 'unlocked',
    reason: () => 'unlocked',
    backend: () => null,
    refresh: async () => 'unlocked',
    prepare: async () => {},
    seal: (place, secret) => sealWith(key, 'test', place, secret),
    open(row) {
      const opened = openWith(key, 'test', row);
      if (opened === null) throw new PanelError('vault_unavailable');
      return opened;
    },
  };
}

async function marked(vault: Vault) {
  const mark = await makeMark(vault, header, manifest, DATABASE);
  expect(mark).not.toBeNull();
  return { ...manifest, mark } as BackupManifest;
}

test('is known by the panel that made it, in whatever order tables and secrets are named', async () => {
  const vault = createTestVault();
  const made = await marked(vault);
  expect(isMarked(vault, header, made, DATABASE)).toBe(true);
  const reordered = {
    ...made,
    counts: { api_keys: 1, users: 2 },
    secrets: { a: '2', b: '1' },
  };
  expect(isMarked(vault, header, reordered, DATABASE)).toBe(true);
});

test.each<[string, Record<string, unknown>, Record<string, unknown>, string]>([
  ['its version', { version: '1.0.1' }, {}, DATABASE],
  ['its time', { created_at: 1001 }, {}, DATABASE],
  ['its size', { database_bytes: 8192 }, {}, DATABASE],
  ['its way of sealing', { secrets: 'sealed' }, {}, DATABASE],
  ['its key', { key: {} }, {}, DATABASE],
  ['its schema', {}, { schema: 2 }, DATABASE],
  ['the size in the manifest', {}, { database_bytes: 8192 }, DATABASE],
  ['a count', {}, { counts: { users: 3, api_keys: 1 } }, DATABASE],
  ['where its links are', {}, { links_at: 'https://evil.example' }, DATABASE],
  ['a secret', {}, { secrets: { a: '1', b: '1' } }, DATABASE],
  ['a certificate', {}, { certificates: { 'acme.pem': 'x' } }, DATABASE],
  ['what was left out', {}, { left_out: ['c'] }, DATABASE],
  ['its database', {}, {}, 'e'.repeat(64)],
])('does not hold once %s has changed', async (_, inHeader, inManifest, database) => {
  const vault = createTestVault();
  const made = { ...(await marked(vault)), ...inManifest } as BackupManifest;
  expect(isMarked(vault, { ...header, ...inHeader } as BackupHeader, made, database)).toBe(false);
});

describe('without the right key', () => {
  test('a mark of another panel, a damaged one and none are not this panel’s', async () => {
    const vault = createTestVault();
    const made = await marked(vault);
    expect(isMarked(createTestVault(), header, made, DATABASE)).toBe(false);
    expect(isMarked(vault, header, { ...made, mark: null }, DATABASE)).toBe(false);
    const damaged = { ...made, mark: made.mark && { ...made.mark, ciphertext: 'AAAA' } };
    expect(isMarked(vault, header, damaged, DATABASE)).toBe(false);
  });

  test('what was sealed for another purpose is no mark', async () => {
    const vault = createTestVault();
    const places: string[] = [];
    const seal: Vault['seal'] = (place, secret) => {
      places.push(place);
      return vault.seal('administrator:totp', secret);
    };
    const made = {
      ...manifest,
      mark: await makeMark({ ...vault, seal }, header, manifest, DATABASE),
    } as BackupManifest;
    expect(places).toEqual(['backup:mark']);
    expect(isMarked(vault, header, made, DATABASE)).toBe(false);
  });

  test('a backup is made without one', async () => {
    const locked = { ...createTestVault(), prepare: () => Promise.reject(new PanelError('vault_unavailable')) };
    expect(await makeMark(locked, header, manifest, DATABASE)).toBeNull();
  });
});
