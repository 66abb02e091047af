// How long a browser stays known after a sign-in, and how many can be.
import { expect, it } from 'vitest';
import { createTestClock } from '../../../tests/support/clock.ts';
import { coreParts } from '../../../tests/support/core.ts';
import { tempStore } from '../../../tests/support/temp-store.ts';
import { createCore } from '../create-core.ts';
import type { Actor } from '../ports/call.ts';
import { pruneBrowsers } from './browsers.ts';

const PASSWORD = 'correct horse battery';
const DAY = 86_400_000;
const START = Date.UTC(2026, 10, 20);
const STRANGER: Actor = { kind: 'unknown', id: null, name: '', access: 'read' };

async function open(temp: ReturnType<typeof tempStore>) {
  const clock = createTestClock(START);
  const core = createCore(coreParts(temp, { clock }));
  await core.local.setUp('admin', PASSWORD);
  const buildCall = (browserToken: string | undefined, address: string | null) => ({
    actor: STRANGER,
    requestId: 'test',
    address,
    ...(browserToken !== undefined && { browserToken }),
  });
  /** Signs in; returns the token for the browser to store. */
  const signIn = async (browserToken?: string, address: string | null = '203.0.113.9') => {
    const reply = await core.call('signIn', { name: 'admin', password: PASSWORD }, buildCall(browserToken, address));
    return reply.browserToken;
  };
  /** Whether the panel treats this browser as a known one. */
  const isKnown = async (browserToken: string | undefined) =>
    (await core.call('panelState', {}, buildCall(browserToken, '203.0.113.9'))).body.two_factor !== null;
  return { clock, signIn, isKnown };
}

it('is known for 180 days after the last sign-in, in that very millisecond', async () => {
  using temp = tempStore();
  const { clock, signIn, isKnown } = await open(temp);
  const token = await signIn();
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(await isKnown(undefined)).toBe(false);
  expect(await isKnown('x'.repeat(43))).toBe(false);
  clock.set(START + 180 * DAY - 1);
  expect(await isKnown(token)).toBe(true);
  clock.advance(1);
  expect(await isKnown(token)).toBe(false);
  expect(await signIn(token)).not.toBe(token);
});

it('keeps its token when it signs in again, and is known from then on', async () => {
  using temp = tempStore();
  const { clock, signIn, isKnown } = await open(temp);
  const token = await signIn();
  clock.advance(100 * DAY);
  expect(await signIn(token)).toBe(token);
  clock.advance(179 * DAY);
  expect(await isKnown(token)).toBe(true);
  expect(await signIn('x'.repeat(43))).not.toBe('x'.repeat(43));
});

it('is none of the desktop’s window, which has no address', async () => {
  using temp = tempStore();
  const { signIn } = await open(temp);
  expect(await signIn(undefined, null)).toBeUndefined();
});

it('is forgotten when 50 others signed in after it', async () => {
  using temp = tempStore();
  const { clock, signIn, isKnown } = await open(temp);
  const tokens: (string | undefined)[] = [];
  for (let count = 0; count < 51; count += 1) {
    clock.advance(1);
    tokens.push(await signIn());
  }
  expect(await Promise.all([tokens[0], tokens[1], tokens[50]].map(isKnown))).toEqual([false, true, true]);
});

it('is removed from the database once it is no longer known', async () => {
  using temp = tempStore();
  const { signIn } = await open(temp);
  await signIn();
  const count = () => temp.db.prepare('SELECT count(*) FROM known_browsers').pluck().get();
  temp.store.write(() => pruneBrowsers(temp.store, START + 180 * DAY));
  expect(count()).toBe(1);
  temp.store.write(() => pruneBrowsers(temp.store, START + 180 * DAY + 1));
  expect(count()).toBe(0);
});
