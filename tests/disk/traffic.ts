// Clients that write and read without a pause, and what became of each of their requests.
import type { Client } from '../support/http-client.ts';

export interface Traffic {
  /** Names of the users whose making was acknowledged, with their ids. */
  readonly acknowledged: ReadonlyMap<string, number>;
  /** Names of those whose making was refused. */
  readonly refused: ReadonlySet<string>;
  /** How many replies of each kind there were, as `write 201`. */
  readonly replies: ReadonlyMap<string, number>;
  /** Resolves at the first reply after which `isSo`; rejects when a client failed, or after `withinMs`, which is for what hangs. */
  until(what: string, isSo: () => boolean, withinMs?: number): Promise<void>;
  count(reply: string): number;
  /** Resolves when the last replies are in. */
  stop(): Promise<void>;
}

const WRITERS = 3;

/** `link` is a user's subscription link. */
export function startTraffic(client: Client, tariffId: number, link: string): Traffic {
  const acknowledged = new Map<string, number>();
  const refused = new Set<string>();
  const replies = new Map<string, number>();
  const waiting = new Set<() => void>();
  let isRunning = true;
  let failure: unknown = null;
  let made = 0;

  const recordReply = (kind: string, status: number) => {
    const reply = `${kind} ${status}`;
    replies.set(reply, (replies.get(reply) ?? 0) + 1);
    for (const look of [...waiting]) look();
  };

  const count: Traffic['count'] = (reply) => replies.get(reply) ?? 0;

  const until: Traffic['until'] = (what, isSo, withinMs = 300_000) =>
    new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        clearTimeout(timer);
        waiting.delete(look);
        act();
      };
      const timer = setTimeout(() => settle(() => reject(new Error(`not within ${withinMs} ms: ${what}`))), withinMs);
      const look = () => {
        if (failure !== null) settle(() => reject(failure));
        else if (isSo()) settle(resolve);
      };
      waiting.add(look);
      look();
    });

  async function write(): Promise<void> {
    made += 1;
    const name = `user ${made}`;
    const input = { name, tariff_id: tariffId };
    const { status, text } = await client.call('createUser', input, { 'idempotency-key': name });
    if (status === 201) acknowledged.set(name, JSON.parse(text).id);
    else refused.add(name);
    recordReply('write', status);
    // Who is refused tries again once reading was seen to go on.
    const reads = count('link 200');
    if (status !== 201) await until('reading goes on', () => count('link 200') > reads || !isRunning);
  }

  async function read(): Promise<void> {
    recordReply('list', (await client.call('listUsers', { limit: 1 })).status);
    recordReply('metrics', (await client.call('getMetrics', {})).status);
    recordReply('link', (await client.send({ method: 'GET', path: link })).status);
  }

  async function loop(work: () => Promise<void>): Promise<void> {
    try {
      while (isRunning) await work();
    } catch (error) {
      failure ??= error;
      isRunning = false;
      for (const look of [...waiting]) look();
    }
  }
  const loops = [...Array.from({ length: WRITERS }, () => loop(write)), loop(read)];

  return {
    acknowledged,
    refused,
    replies,
    count,
    until,
    async stop() {
      isRunning = false;
      await Promise.all(loops);
      if (failure !== null) throw failure;
    },
  };
}
