// Wrong passwords from 50 networks do not keep the administrator out, whatever they have been tried on.
import { expect, test } from 'vitest';
import type { Administrator } from '../support/administrator.ts';
import { PASSWORD } from '../support/cli.ts';
import { openAttacked } from './attacked.ts';

const OWNER = '203.0.113.9';
const NETWORKS = 50;

async function outcomeOf(browser: Administrator, password: string): Promise<string> {
  const { status, problem } = await browser.call('signIn', { name: 'admin', password });
  return status === 200 ? 'signed in' : problem.detail;
}

test('50 networks that try passwords lock out themselves, and neither owner nor session', async () => {
  await using attacked = await openAttacked();
  const { browserAt } = attacked;
  const known = browserAt(OWNER);
  expect(await outcomeOf(known, PASSWORD)).toBe('signed in');
  await known.call('signOut', {});
  const session = browserAt(OWNER);
  expect(await outcomeOf(session, PASSWORD)).toBe('signed in');

  const fire = Array.from({ length: NETWORKS }, async (_, index) => {
    // The owner's own network is among them.
    const attacker = browserAt(index === 0 ? OWNER : `198.51.100.${index}`);
    const outcomes: string[] = [];
    // Each failure doubles the wait, so however slow the machine is, one of the next attempts falls into it.
    while (outcomes.at(-1) !== 'slow_down') outcomes.push(await outcomeOf(attacker, 'wrong'));
    return outcomes;
  });
  const meanwhile = {
    signedIn: await outcomeOf(known, PASSWORD),
    rotated: (await session.call('rotateSecretPath', { password: 'wrong' })).problem.detail,
  };
  const outcomes = await Promise.all(fire);
  expect(meanwhile).toEqual({ signedIn: 'signed in', rotated: 'wrong_password' });
  for (const each of outcomes) expect(new Set(each)).toEqual(new Set(['sign_in_failed', 'slow_down']));

  // A network without attacks, the known browser, and who is signed in.
  expect(await outcomeOf(browserAt('192.0.2.200'), PASSWORD)).toBe('signed in');
  expect(await outcomeOf(known, PASSWORD)).toBe('signed in');
  const rotated = await session.call('rotateSecretPath', { password: PASSWORD });
  expect(rotated.status).toBe(200);
  const there = await session.call('panelState', {}, rotated.body.panel_url);
  expect(there.body.signed_in).toEqual({ name: 'admin' });
});
