// Wrong passwords from many networks do not keep the administrator out, whatever they have been tried on.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Administrator } from '../support/administrator.ts';
import { cheapenPassword } from '../support/cheap-password.ts';
import { PASSWORD } from '../support/cli.ts';
import { createClient } from '../support/http-client.ts';
import { openAttacked } from './attacked.ts';

const OWNER = '203.0.113.9';
const NETWORKS = 50;

/** More than may wait for their turn. */
const AT_ONCE = 80;
/** log2 of scrypt's N: half the real cost. While one hash is made, many newer attempts arrive. */
const COST = 16;
const REAL_COST = 17;

async function trySignIn(browser: Administrator, password: string): Promise<string> {
  const { status, problem } = await browser.call('signIn', { name: 'admin', password });
  return status === 200 ? 'signed in' : problem.detail;
}

test('50 networks that try passwords lock out themselves, and neither owner nor session', async () => {
  await using attacked = await openAttacked();
  const { browserAt } = attacked;
  const known = browserAt(OWNER);
  expect(await trySignIn(known, PASSWORD)).toBe('signed in');
  await known.call('signOut', {});
  const session = browserAt(OWNER);
  expect(await trySignIn(session, PASSWORD)).toBe('signed in');

  const fire = Array.from({ length: NETWORKS }, async (_, index) => {
    // The owner's own network is among them.
    const attacker = browserAt(index === 0 ? OWNER : `198.51.100.${index}`);
    const outcomes: string[] = [];
    // Each failure doubles the wait, so however slow the machine is, one of the next attempts falls into it.
    while (outcomes.at(-1) !== 'slow_down') outcomes.push(await trySignIn(attacker, 'wrong'));
    return outcomes;
  });
  const meanwhile = {
    signedIn: await trySignIn(known, PASSWORD),
    rotated: (await session.call('rotateSecretPath', { password: 'wrong' })).problem.detail,
  };
  const outcomes = await Promise.all(fire);
  expect(meanwhile).toEqual({ signedIn: 'signed in', rotated: 'wrong_password' });
  for (const each of outcomes) expect(new Set(each)).toEqual(new Set(['sign_in_failed', 'slow_down']));

  // A network without attacks, the known browser, and who is signed in.
  expect(await trySignIn(browserAt('192.0.2.200'), PASSWORD)).toBe('signed in');
  expect(await trySignIn(known, PASSWORD)).toBe('signed in');
  const rotated = await session.call('rotateSecretPath', { password: PASSWORD });
  expect(rotated.status).toBe(200);
  const there = await session.call('panelState', {}, rotated.body.panel_url);
  expect(there.body.signed_in).toEqual({ name: 'admin' });
});

test('who has the 65,536 networks of an IPv6 /48 keeps no new browser out', async () => {
  await using attacked = await openAttacked();
  await cheapenPassword(join(attacked.cli.folder, 'panel.db'), PASSWORD, COST);
  const { panel, ca, browserAt } = attacked;
  const client = createClient({ baseUrl: panel.panelUrl, ca, sockets: AT_ONCE });
  const body = JSON.stringify({ name: 'admin', password: 'wrong' });
  let network = 0;
  let failed = 0;
  let isOver = false;
  const attack = async () => {
    while (!isOver) {
      network += 1;
      const headers = {
        'content-type': 'application/json',
        'sec-fetch-site': 'same-origin',
        'x-forwarded-for': `2001:db8:1:${network.toString(16)}::1`,
      };
      const { problem } = await client.send({ method: 'POST', path: 'panel/signIn', headers, body });
      if (problem.detail === 'sign_in_failed') failed += 1;
    }
  };
  const attacks = Array.from({ length: AT_ONCE }, attack);
  await expect.poll(() => failed, { timeout: 60_000 }).toBeGreaterThan(10);
  const outcomes: string[] = [];
  for (const last of [1, 2, 3]) outcomes.push(await trySignIn(browserAt(`203.0.113.${last}`), PASSWORD));
  isOver = true;
  // Those that wait for their turn get no reply any more.
  client.close();
  await Promise.allSettled(attacks);
  expect(outcomes).toEqual(['signed in', 'signed in', 'signed in']);
});

/** Tries of a new browser that are counted in the figure, and those after which the test gives up: by chance alone that is one run of a million. */
const TRIES = 8;
const MAX_TRIES = 80;

/** Attempts in the time that one password takes: about ten a second. */
const ATTEMPTS_PER_HASH = 4;

test('ten fresh networks a second do not keep a new browser out, whose refused tries are not counted', async () => {
  await using attacked = await openAttacked();
  const began = performance.now();
  await cheapenPassword(join(attacked.cli.folder, 'panel.db'), PASSWORD, REAL_COST);
  // Slower machines verify fewer passwords, and are attacked by fewer.
  const pauseMs = (performance.now() - began) / ATTEMPTS_PER_HASH;
  const { panel, ca, browserAt } = attacked;
  const client = createClient({ baseUrl: panel.panelUrl, ca, sockets: 200 });
  const body = JSON.stringify({ name: 'admin', password: 'wrong' });
  let network = 0;
  let isFull = false;
  const sendAttempt = async () => {
    network += 1;
    // Each of another /24.
    const address = `100.${64 + (network >> 8)}.${network & 255}.1`;
    const headers = {
      'content-type': 'application/json',
      'sec-fetch-site': 'same-origin',
      'x-forwarded-for': address,
    };
    const { status } = await client.send({ method: 'POST', path: 'panel/signIn', headers, body });
    if (status === 429) isFull = true;
  };
  const attack = setInterval(() => void sendAttempt().catch(() => undefined), pauseMs);
  try {
    // The queue fills at once.
    for (let count = 0; count < 70; count += 1) void sendAttempt().catch(() => undefined);
    await expect.poll(() => isFull, { timeout: 60_000 }).toBe(true);
    const outcomes: string[] = [];
    const isDone = () => outcomes.length >= TRIES && outcomes.includes('signed in');
    while (!isDone() && outcomes.length < MAX_TRIES) outcomes.push(await trySignIn(browserAt(OWNER), PASSWORD));
    const signedIn = outcomes.slice(0, TRIES).filter((outcome) => outcome === 'signed in').length;
    const rate = (1000 / pauseMs).toFixed(1);
    console.log(
      `a new browser beside ${rate} networks a second: signed in ${signedIn} of ${TRIES}, ${outcomes.length} tries`,
    );
    expect(outcomes).toContain('signed in');
    expect(new Set(outcomes)).not.toContain('slow_down');
  } finally {
    clearInterval(attack);
    client.close();
  }
});
