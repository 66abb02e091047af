// The doctor finds what is broken, advises, and changes nothing.
import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestLog } from '../../tests/support/log.ts';
import { ensureCertificate } from '../adapters/certificates/certificate.ts';
import { networkFileSystem } from '../adapters/data-folder.ts';
import { findShippedEngine } from '../adapters/shipped-engine.ts';
import { openStore } from '../store/index.ts';
import { examine } from './doctor.ts';

const DAY = 86_400_000;
const NOW = Date.now();
let folder = '';
let database = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-doctor-'));
  database = join(folder, 'panel.db');
  const store = openStore(database);
  store.write(() =>
    store.settings.set({ port: 1, host: '127.0.0.1', secretPath: 's'.repeat(32), instanceId: 'doctor' }),
  );
  store.close();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function change(work: (store: ReturnType<typeof openStore>) => void): void {
  const store = openStore(database);
  store.write(() => work(store));
  store.close();
}

async function readVerdict(check: string, now = NOW): Promise<string | undefined> {
  const found = (await examine(folder, { now })).find((each) => each.check === check);
  return found && `${found.verdict}${found.verdict !== 'ok' && found.advice === '' ? ' without advice' : ''}`;
}

it('finds nothing wrong with a panel that is well, and leaves the file as it is', async () => {
  const digest = () => createHash('sha256').update(readFileSync(database)).digest('hex');
  const before = digest();
  const findings = await examine(folder, { now: NOW });
  const wrong = findings.filter(({ check, verdict }) => verdict === 'problem' && check !== 'port');
  expect(wrong).toEqual([]);
  expect(digest()).toBe(before);
});

it('says so where there is no panel at all', async () => {
  const findings = await examine(join(folder, 'nowhere'), { now: NOW });
  expect(findings.map(({ check, verdict }) => [check, verdict])).toEqual([['data folder', 'problem']]);
});

it('warns of a folder that others can read', async () => {
  chmodSync(folder, 0o755);
  expect(await readVerdict('data folder')).toBe('warning');
});

it('finds a damaged, a foreign and a newer database', async () => {
  const whole = readFileSync(database);
  writeFileSync(database, 'no database at all, whatever its name says'.repeat(50));
  expect(await readVerdict('database')).toBe('problem');
  writeFileSync(database, whole);
  truncateSync(database, Math.floor(whole.length / 2 / 4096) * 4096);
  expect(await readVerdict('database')).toBe('problem');
  whole.writeUInt32BE(9999, 60);
  writeFileSync(database, whole);
  expect(await readVerdict('database')).toBe('problem');
});

it('finds a clock that the next start would doubt', async () => {
  expect(await readVerdict('clock')).toBe('ok');
  change((store) => store.settings.set({ knownAt: NOW + DAY }));
  expect(await readVerdict('clock')).toBe('problem');
  expect(await readVerdict('clock', NOW + 2 * DAY)).toBe('ok');
  expect(await readVerdict('clock', NOW + 9 * DAY)).toBe('problem');
});

it('finds certificates that end or have ended', async () => {
  const { endsAt } = await ensureCertificate(
    { folder: join(folder, 'tls'), clock: { now: () => NOW }, log: createTestLog() },
    ['localhost'],
  );
  expect(await readVerdict('certificate')).toBe('ok');
  expect(await readVerdict('certificate', endsAt - 20 * DAY)).toBe('warning');
  expect(await readVerdict('certificate', endsAt + DAY)).toBe('problem');
  writeFileSync(join(folder, 'tls', 'imported-links.pem'), 'nothing');
  expect(await readVerdict('imported certificate for links')).toBe('problem');
});

it('finds a port that something else listens on', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  change((store) => store.settings.set({ port }));
  expect(await readVerdict('port')).toBe('problem');
  await new Promise((resolve) => server.close(resolve));
  expect(await readVerdict('port')).toBe('ok');
});

// After `npm run engines` in this checkout, no engine is missing.
const isShipped = (await findShippedEngine()) !== null;
it.skipIf(isShipped)('misses an engine only where a local node needs one', async () => {
  const path = process.env.PATH;
  process.env.PATH = folder;
  try {
    expect(await readVerdict('engine')).toBe('ok');
    change((store) => {
      const fields = { name: 'Here', kind: 'local', address: '127.0.0.1', enabled: true, status: 'unknown' } as const;
      const none = { coreName: null, coreVersion: null, engineStartedAt: null, lastSeenAt: null, errorCode: null };
      store.nodes.insert({
        ...fields,
        ...none,
        allowsPrivate: false,
        draining: false,
        weight: 100,
        note: '',
        usersOnline: 0,
        errorText: null,
        unserved: [],
        restart: null,
        agentPort: null,
        agentPin: null,
        agentProtocol: null,
        load: null,
        clockOffset: null,
        agentVersion: null,
        linksEndsAt: null,
        linksLate: null,
        linksFailure: null,
        waitingEntries: null,
        waitingBytes: null,
        waitingSince: null,
        restoredAt: null,
        createdAt: NOW,
        updatedAt: NOW,
      });
    });
    expect(await readVerdict('engine')).toBe('problem');
  } finally {
    process.env.PATH = path;
  }
});

it('looks at the path of an engine that is set, and says what is there', async () => {
  const path = join(folder, 'engine');
  change((store) => store.settings.set({ enginePath: path }));
  expect(await readVerdict('engine')).toBe('ok');
  writeFileSync(path, '#!/bin/sh\necho "Xray 26.3.27 (test)"\n', { mode: 0o755 });
  const found = (await examine(folder)).find(({ check }) => check === 'engine');
  expect(found?.found).toBe(process.platform === 'win32' ? expect.anything() : `xray 26.3.27 (${path})`);
});

it('knows network drives by what the system calls them', () => {
  expect(networkFileSystem('/', () => 0x6969)).toBe(process.platform === 'linux' ? 'NFS' : null);
  expect(networkFileSystem('/', () => 0xff534d42 | 0)).toBe(process.platform === 'linux' ? 'CIFS' : null);
  expect(networkFileSystem('/', () => 0xef53)).toBeNull();
});
