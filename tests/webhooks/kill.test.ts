// Kills a real panel between effects and deliveries: every event of the feed reaches the receiver, repeated ones under the same id.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openCommandLine, PASSWORD } from '../support/cli.ts';
import { type Answer, type Client, createClient } from '../support/http-client.ts';
import { times } from '../support/long.ts';
import { readSeed } from '../support/seed.ts';
import { createSessionJar } from '../support/session-jar.ts';
import { body, createRandom, isCutOff, requireSound } from '../torture/target.ts';
import { isVerified, openReceiver } from './receiver.ts';

const KILLS = times(5, 50);
const MAKERS = 4;
/** A kill comes after so many deliveries since the start, at most. */
const MAX_DELIVERIES = 40;
const seed = readSeed('TORTURE_SEED');

it(`loses no event in ${KILLS} kills (TORTURE_SEED=${seed})`, { timeout: 600_000 + KILLS * 30_000 }, async () => {
  const random = createRandom(seed);
  const keys = mkdtempSync(join(tmpdir(), 'gatehouse-key-'));
  await using line = openCommandLine();
  await using receiver = await openReceiver();
  const database = join(line.folder, 'panel.db');
  const serve = () =>
    line.serve(['--http', '--port', '0', '--rate-limit', '0', '--key-file', join(keys, 'master.key')]);
  try {
    expect((await line.run(['setup', '--name', 'admin'], `${PASSWORD}\n`)).code).toBe(0);
    const added = await line.run(['key', 'add', '--name', 'bot', '--access', 'full'], `${PASSWORD}\n`);
    const key = added.stdout.trim();
    let serving = await serve();
    let client = createClient({ baseUrl: serving.baseUrl, key, sockets: MAKERS });
    const secret = await createWebhook(client, receiver.url);
    const { id: tariff_id } = await body(client.call('createTariff', { name: 'Plan' }));
    // A tenth is refused the first time, so that what waits to be repeated is killed as well.
    const refused = new Set<string>();
    const unverified: string[] = [];
    receiver.answer = (request) => {
      const { id } = request;
      // At once: the library refuses what was signed more than five minutes ago.
      if (!isVerified(secret, request)) unverified.push(id);
      if (refused.has(id) || random() < 0.9) return { status: 200 };
      refused.add(id);
      return { status: 500 };
    };

    const acknowledged: string[] = [];
    let number = 0;
    for (let kill = 1; kill <= KILLS; kill++) {
      let isKilled = false;
      const make = async () => {
        try {
          while (!isKilled) {
            number += 1;
            const { name } = await body(client.call('createUser', { name: `user ${number}`, tariff_id }));
            acknowledged.push(name);
          }
        } catch (error) {
          if (!(isKilled && isCutOff(error))) throw error;
        }
      };
      const making = Promise.all(Array.from({ length: MAKERS }, make));
      const enough = receiver.received.length + 1 + Math.floor(random() * MAX_DELIVERIES);
      await Promise.race([receiver.until(({ length }) => length >= enough), making]);
      isKilled = true;
      await serving.end('SIGKILL');
      await making;
      client.close();
      requireSound(database);
      serving = await serve();
      client = createClient({ baseUrl: serving.baseUrl, key, sockets: MAKERS });
    }

    const feed = await createdUsers(client);
    const names = new Set(feed.map(({ name }) => name));
    expect(acknowledged.filter((name) => !names.has(name))).toEqual([]);
    await receiver.until((received) => {
      const ids = new Set(received.map(({ id }) => id));
      return feed.every(({ id }) => ids.has(`evt_${id}`));
    });
    const bodies = new Map<string, string>();
    for (const one of receiver.received) {
      expect(bodies.get(one.id) ?? one.body).toBe(one.body);
      bodies.set(one.id, one.body);
    }
    expect(unverified).toEqual([]);
    expect(acknowledged.length).toBeGreaterThan(KILLS);
    client.close();
    await serving.end('SIGTERM');
  } finally {
    rmSync(keys, { recursive: true, force: true });
  }
});

/** Signs in and creates a webhook for all events; its secret. */
async function createWebhook(client: Client, url: string): Promise<string> {
  const jar = createSessionJar();
  const operate = async (id: string, input: object): Promise<Answer> => {
    const path = new URL(`../panel/${id}`, client.baseUrl).href;
    const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', ...jar.headers() };
    const answer = await client.as(null).send({ method: 'POST', path, headers, body: JSON.stringify(input) });
    jar.store(answer.headers);
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer;
  };
  await operate('signIn', { name: 'admin', password: PASSWORD });
  const { text } = await operate('createWebhook', { url, types: null, allow_private: true, password: PASSWORD });
  return String(JSON.parse(text).secret);
}

async function createdUsers(client: Client): Promise<{ readonly id: number; readonly name: string | undefined }[]> {
  const found: { id: number; name: string | undefined }[] = [];
  for (let after = 0; ; ) {
    const page = await body(client.call('listEvents', { after, limit: 500 }));
    for (const { id, type, data } of page.items) if (type === 'user.created') found.push({ id, name: data.name });
    if (page.items.length === 0) return found;
    after = page.next_after;
  }
}
