import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeKeyPair, readSecretKey, signBytes } from '../../../scripts/minisign.ts';
import type { ReleaseManifest } from '../../contract/updates.ts';
import { readKeys, readManifest, verifyArchive } from './release.ts';

const pair = makeKeyPair();
const secret = readSecretKey(pair.secretKey);
const keys = readKeys(['not a key', pair.publicKey]);
const MANIFEST: ReleaseManifest = {
  version: '1.2.3',
  published_at: '2026-11-01T00:00:00.000Z',
  signed_at: '2026-11-01T00:00:00.000Z',
  expires_at: '2027-05-01T00:00:00.000Z',
  notes: 'Faster lists.',
  files: [{ platform: 'linux-x64', name: 'gatehouse-1.2.3-linux-x64.tar.gz', size: 1000, sha256: 'a'.repeat(64) }],
};

function read(manifest: unknown, comment = 'gatehouse file=gatehouse-stable.json version=1.2.3', channel = 'stable') {
  const bytes = Buffer.from(typeof manifest === 'string' ? manifest : JSON.stringify(manifest));
  return readManifest(bytes, signBytes(bytes, secret, comment), channel, keys);
}

describe('the description of a release', () => {
  it('is read where it is signed', () => {
    expect(read(MANIFEST)).toEqual(MANIFEST);
    expect(read({ ...MANIFEST, later: 1 })).toEqual(MANIFEST);
  });

  it('is refused unsigned, before it is read', () => {
    const signature = signBytes(Buffer.from('other'), secret, 'gatehouse file=gatehouse-stable.json version=1.2.3');
    expect(readManifest(Buffer.from('not JSON'), signature, 'stable', keys)).toEqual({ problem: 'unsigned' });
    expect(readManifest(Buffer.from(JSON.stringify(MANIFEST)), '', 'stable', keys)).toEqual({ problem: 'unsigned' });
  });

  it.each([
    ['another channel', MANIFEST, 'gatehouse file=gatehouse-preview.json version=1.2.3'],
    ['another version', MANIFEST, 'gatehouse file=gatehouse-stable.json version=1.2.4'],
    ['another product', MANIFEST, 'other file=gatehouse-stable.json version=1.2.3'],
    ['no name', MANIFEST, 'gatehouse version=1.2.3'],
  ])('is refused with a signature for %s', (_, manifest, comment) => {
    expect(read(manifest, comment)).toEqual({ problem: 'wrong_file' });
  });

  it.each([
    ['what is no JSON', '{'],
    ['a version of another form', { ...MANIFEST, version: '1.2.3-x' }],
    ['a path for a name', { ...MANIFEST, files: [{ ...MANIFEST.files[0], name: '../x' }] }],
    ['an archive too large', { ...MANIFEST, files: [{ ...MANIFEST.files[0], size: 1e12 }] }],
  ])('is refused with %s', (_, manifest) => {
    expect(read(manifest)).toEqual({ problem: 'malformed' });
  });
});

describe('an archive', () => {
  it('says by its signature which it is; a changed one is refused', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-archive-'));
    const path = join(folder, 'renamed.tar.gz');
    const signature = signBytes(Buffer.from('archive'), secret, 'gatehouse file=a.tar.gz version=1.2.3');
    writeFileSync(path, 'archive');
    expect(await verifyArchive(path, signature, keys)).toEqual({ file: 'a.tar.gz', version: '1.2.3' });
    writeFileSync(path, 'Archive');
    expect(await verifyArchive(path, signature, keys)).toEqual({ problem: 'unsigned' });
    rmSync(folder, { recursive: true });
  });
});
