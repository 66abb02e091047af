// A panel that opens its orders at providers, by turns, and takes webhooks as messages, until it is killed. Arguments: the folder of its data, and the time at which its clock begins.
import { setTimeout as wait } from 'node:timers/promises';
import { systemTimers } from '../../src/adapters/clock.ts';
import { startPanel } from '../support/panel.ts';

interface HookMessage {
  readonly token: string;
  readonly raw: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Orders that are opened at the same time. */
const AT_ONCE = 5;

const [folder = '', begin = '0'] = process.argv.slice(2);
const started = Date.now();
const clock = { now: () => Number(begin) + Date.now() - started };
const { act, core } = await startPanel({ folder, clock, timers: systemTimers });
process.on('message', ({ token, raw, headers }: HookMessage) => {
  core.shop.hint(token, { raw, headers }).then(
    (isTaken) => isTaken && process.send?.('taken'),
    () => null,
  );
});
const providers = (await act('listProviders', {})).items;
for (;;) {
  for (const state of ['opening', 'new', 'failed', 'expired'] as const) {
    const { items } = await act('listOrders', { state, limit: 500 });
    const opened = items.slice(-AT_ONCE).map(({ id }) => {
      const provider = providers[id % providers.length];
      // What a provider does not do is tried again.
      return act('openOrder', { id, provider_id: provider?.id ?? 0, email: 'buyer@example.com' }).catch(() => null);
    });
    await Promise.all(opened);
  }
  await wait(10);
}
