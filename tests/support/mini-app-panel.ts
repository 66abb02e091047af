// A process with a panel that has a Mini App, for a browser test: it says where it is, and what Telegram would sign for its user.
import { DAY_MS } from '../../src/domain/limits.ts';
import { BOT_TOKEN, openBotApi } from './bot-api.ts';
import { APP_NAME, initData, type MiniAppPanel } from './init-data.ts';
import { PASSWORD, startPanel } from './panel.ts';
import { openStripe } from './providers/stripe.ts';

const ANNA = 1001;
const CERTIFICATE = { target: 'panel', source: 'acme', subject: 'CN=a', issuer: 'CN=b', warning: null } as const;

const api = await openBotApi();
const stripe = await openStripe();
const { act, store, port, stop } = await startPanel({ served: () => [{ ...CERTIFICATE, names: [APP_NAME] }] });
process.once('disconnect', () => void stop().finally(() => process.exit()));
store.write(() => store.settings.set({ publicUrl: `https://${APP_NAME}` }));
await act('updateSettings', { selling: true });
await act('saveBot', { token: BOT_TOKEN, api_root: api.root, allow_private: true, password: PASSWORD });
const account = { fields: stripe.fields, api_root: stripe.root, allow_private: true, password: PASSWORD };
await act('createProvider', { kind: 'stripe', name: 'Cards', ...account });
await act('createProvider', { kind: 'stars', name: 'Stars', fields: {}, password: PASSWORD });
const { id: tariff_id } = await act('createTariff', { name: 'Month', duration: { months: 1 } });
const sold = { kind: 'days', days: 30 } as const;
await act('createOffer', {
  tariff_id,
  name: '30 days',
  sold,
  prices: [
    { amount: 499, currency: 'EUR' },
    { amount: 250, currency: 'XTR' },
  ],
  on_sale: true,
});
const expires_at = new Date(Date.now() + 20 * DAY_MS).toISOString();
await act('createUser', { name: 'Anna', tariff_id, telegram_id: ANNA, expires_at });
process.send?.({
  address: `http://${APP_NAME}:${port}/sub/${store.bot.get()?.appPath}`,
  good: initData(ANNA, Date.now()),
  old: initData(ANNA, Date.now() - 2 * 3_600_000),
} satisfies MiniAppPanel);
