// A session that was copied out of a browser: what its owner does next ends it, and with it the stream of events that it opened.
import https from 'node:https';
import { expect, test } from 'vitest';
import type { Administrator } from '../support/administrator.ts';
import { PASSWORD } from '../support/cli.ts';
import { type Attacked, openAttacked } from './attacked.ts';

const OWNER = '203.0.113.9';
const STRANGER = '198.51.100.7';

async function signIn(browser: Administrator): Promise<Session> {
  expect((await browser.call('signIn', { name: 'admin', password: PASSWORD })).status).toBe(200);
  return browser.jar.headers();
}

/** The headers that carry it. */
type Session = Readonly<Record<string, string>>;

interface Stream {
  readonly status: number;
  /** All that came, once the panel has ended it. */
  readonly ended: Promise<string>;
}

/** The stream of events, as who has the session opens it. */
function listen({ panel, ca }: Attacked, session: Session): Promise<Stream> {
  const { promise, resolve, reject } = Promise.withResolvers<Stream>();
  const headers = { ...session, 'sec-fetch-site': 'same-origin' };
  const request = https.get(new URL('panel/events', panel.panelUrl), { ca, headers, agent: false }, (reply) => {
    const ended = Promise.withResolvers<string>();
    let text = '';
    reply.setEncoding('utf8');
    reply.on('data', (chunk: string) => {
      text += chunk;
      // The stream has begun.
      if (text.includes('event: ready')) resolve({ status: reply.statusCode ?? 0, ended: ended.promise });
    });
    reply.on('close', () => ended.resolve(text));
    reply.on('error', () => undefined);
    if (reply.statusCode !== 200) resolve({ status: reply.statusCode ?? 0, ended: ended.promise });
  });
  request.on('error', reject);
  return promise;
}

const stolen = async (attacked: Attacked, session: Session) => (await listen(attacked, session)).status;

test('the next sign-in in a browser ends the session before it, also where the browser has lost its cookie', async () => {
  await using attacked = await openAttacked();
  const browser = attacked.browserAt(OWNER);
  const first = await signIn(browser);
  const stream = await listen(attacked, first);
  const second = await signIn(browser);
  expect(await stolen(attacked, first)).toBe(401);
  await stream.ended;
  // As after a browser was closed, which forgets sessions and not which browser it is.
  browser.jar.forgetCookie();
  await signIn(browser);
  expect(await stolen(attacked, second)).toBe(401);
  expect((await browser.call('listSessions', {})).body.items).toHaveLength(1);
  // Another browser has a session of its own.
  await signIn(attacked.browserAt(STRANGER));
  expect((await browser.call('listSessions', {})).body.items).toHaveLength(2);
});

test('a stream gives nothing of what follows the end of its session', async () => {
  await using attacked = await openAttacked();
  const owner = attacked.browserAt(OWNER);
  await signIn(owner);
  const stream = await listen(attacked, await signIn(attacked.browserAt(STRANGER)));
  await owner.call('endOtherSessions', { password: PASSWORD });
  await owner.call('createTariff', { name: 'after-the-end' });
  expect(await stream.ended).not.toContain('tariff.created');
});

test('a stream under a former secret path ends with the path', async () => {
  await using attacked = await openAttacked();
  const owner = attacked.browserAt(OWNER);
  const stream = await listen(attacked, await signIn(owner));
  const { body } = await owner.call('rotateSecretPath', { password: PASSWORD });
  await owner.call('createTariff', { name: 'after-the-end' }, body.panel_url);
  expect(await stream.ended).not.toContain('tariff.created');
});

test('who has the path is told neither the version nor whether a password is enough', async () => {
  await using attacked = await openAttacked();
  const stranger = attacked.browserAt(STRANGER);
  expect((await stranger.call('panelState', {})).body).toMatchObject({ version: null, two_factor: null });
  const owner = attacked.browserAt(OWNER);
  await signIn(owner);
  expect((await owner.call('panelState', {})).body.version).toMatch(/^\d/);
  await owner.call('signOut', {});
  expect((await owner.call('panelState', {})).body).toMatchObject({ version: null, two_factor: false });
});

test('another service on the same host, which is sent the cookie, has only half of the session', async () => {
  await using attacked = await openAttacked();
  const browser = attacked.browserAt(OWNER);
  const session = await signIn(browser);
  expect(await stolen(attacked, session)).toBe(200);
  const { cookie = '', ...page } = session;
  expect(await stolen(attacked, { cookie })).toBe(401);
  expect(await stolen(attacked, page)).toBe(401);
  expect(await stolen(attacked, { cookie, 'panel-session': 'x'.repeat(43) })).toBe(401);
});
