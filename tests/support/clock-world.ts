// A panel with 1,000 users, and what a wrong clock must not change of it.
import { expect } from 'vitest';
import type { CommandLine } from './cli.ts';
import type { Client } from './http-client.ts';

const FIVE = ['none', 'day', 'week', 'month', 'period'] as const;
export const USERS = 1000;

/** Users of every way of resetting, with terms that end soon and late, and grants; the statistics have an hour of traffic. */
export async function fillPanel(client: Client): Promise<void> {
  const plan = await client.call('createTariff', { name: 'Plan', traffic_limit: 10_000, duration: { months: 1 } });
  expect(plan.status).toBe(201);
  const users = Array.from({ length: USERS }, (_, index) => ({
    tariff_id: plan.body.id,
    name: `User ${index}`,
    reset_strategy: FIVE[index % FIVE.length],
    expires_at: new Date(Date.now() + (1 + (index % 60)) * 86_400_000).toISOString(),
  }));
  for (let from = 0; from < USERS; from += 100)
    expect((await client.call('createUsers', { users: users.slice(from, from + 100) })).status).toBe(200);
  for (let id = 1; id <= 50; id++)
    expect((await client.call('createGrant', { id, bytes: 500, lifetime: 'days', days: 3 })).status).toBe(201);
}

/** What the time may change. */
export async function readWorld(client: Client) {
  const users: unknown[] = [];
  for (let offset = 0; offset < USERS; offset += 500) {
    const { body } = await client.call('listUsers', { limit: 500, offset, sort: 'id' });
    for (const { id, state, expires_at, resets_at, traffic_extra } of body.items)
      users.push([id, state, expires_at, resets_at, traffic_extra]);
  }
  const events: unknown[] = [];
  for (let after = 0; ; ) {
    const { body } = await client.call('listEvents', { after, limit: 500 });
    for (const { id, type, at } of body.items) events.push([id, type, at]);
    const last = body.items.at(-1);
    if (last === undefined || body.items.length < 500) return { users, events };
    after = last.id;
  }
}

/** The verdict of `panel doctor` on the clock. */
export async function readClockVerdict(cli: CommandLine): Promise<string> {
  const { stdout } = await cli.run(['doctor', '--json']);
  return JSON.parse(stdout).checks.find(({ check }: { check: string }) => check === 'clock').verdict;
}
