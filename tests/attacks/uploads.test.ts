// Backups from a stolen session, which cannot restore them but could fill the disk with them.
import { mkdtempSync, openSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeBackupFile } from '../../src/adapters/backup-file.ts';
import type { Problem } from '../../src/contract/errors.ts';
import { PASSWORD } from '../support/cli.ts';
import { type Attacked, openAttacked } from './attacked.ts';

const GIB = 1_073_741_824;
const UNPACKED = 300 * 1_048_576;

interface Answer {
  readonly status: number;
  readonly body: Problem & { readonly name: string };
}

/** `announced`: the length that the head of the request names. */
function upload(
  { panel, ca }: Attacked,
  session: Readonly<Record<string, string>>,
  bytes: Buffer,
  announced: number,
): Promise<Answer> {
  const headers = {
    ...session,
    'sec-fetch-site': 'same-origin',
    'content-type': 'application/octet-stream',
    'content-length': announced,
  };
  return new Promise((resolve, reject) => {
    const url = new URL('panel/backups', panel.panelUrl);
    const request = https.request(url, { ca, method: 'POST', headers, agent: false }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on('data', (chunk: Buffer) => chunks.push(chunk));
      reply.on('end', () => {
        resolve({ status: reply.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString('utf8')) });
        request.destroy();
      });
    });
    request.on('error', reject);
    if (announced === bytes.length) request.end(bytes);
    else request.write(bytes);
  });
}

/** A file of some hundred kilobytes that unpacks to 300 MiB of nothing. */
function bomb(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bomb-'));
  const [path, database] = [join(folder, 'bomb'), join(folder, 'database')];
  openSync(database, 'w');
  truncateSync(database, UNPACKED);
  const facts = { version: '0.1.0', created_at: 0, database_bytes: UNPACKED, secrets: 'none', key: null };
  writeBackupFile({ path, header: facts, manifest: {}, database, key: null });
  const bytes = readFileSync(path);
  rmSync(folder, { recursive: true, force: true });
  return bytes;
}

test('a session alone cannot fill the disk with uploads, nor with what they unpack to', async () => {
  await using attacked = await openAttacked();
  const browser = attacked.browserAt('203.0.113.9');
  await browser.call('signIn', { name: 'admin', password: PASSWORD });
  const session = browser.jar.headers();
  const large = await upload(attacked, session, Buffer.from('GATEHOUSE BACKUP'), 2 * GIB);
  expect([large.status, large.body.detail, large.body.errors?.[0]?.code]).toEqual([409, 'backup_refused', 'too_large']);

  const bytes = bomb();
  expect(bytes.length).toBeLessThan(UNPACKED / 100);
  const taken = await upload(attacked, session, bytes, bytes.length);
  expect(taken.status).toBe(201);
  const { body: verdict } = await browser.call('checkBackup', { name: taken.body.name });
  expect(verdict.problem).toBe('too_large');
});
