// A clear backup that was changed: its waiting work, one row of it in every table that can hold any, is not carried out after the restore, and
// every destination, identity, price and secret that was moved is named before.
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import {
  getWholeClass,
  listNamedPlaces,
  PENDING_RULES,
  type PendingTable,
  RESTORE_CLASSES,
} from '../../src/store/backup/restore-classes.ts';
import { tamper } from '../backup/tamper.ts';
import { BOT_TOKEN, openBotApi } from '../support/bot-api.ts';
import { PASSWORD } from '../support/cli.ts';
import { openStripe } from '../support/providers/stripe.ts';
import { openReceiver } from '../webhooks/receiver.ts';
import { openAttacked } from './attacked.ts';

const ADMIN = 5005;
const SUBSCRIBER = 6006;
const VICTIM = 7007;
const patient = { timeout: 30_000, interval: 50 };

interface Ids {
  readonly user: number;
  readonly webhook: number;
  readonly provider: number;
}

/** For each table with pending work: a row that waits, and how it is found again. A table without one does not compile. */
const PLANTS: Readonly<Record<PendingTable, { readonly insert: (ids: Ids) => string; readonly planted: string }>> = {
  // The administrator's account presses a button that disables a user.
  bot_updates: {
    planted: 'update_id IN (1, 2)',
    insert: ({ user }) => {
      const stamp = Math.floor(Date.now() / 1000).toString(36);
      const from = { id: ADMIN, is_bot: false, first_name: 'Anna' };
      const message = { message_id: 1, date: 1, chat: { id: ADMIN, type: 'private' }, text: 'Planted' };
      const pressed = { id: '1', from, chat_instance: '1', message, data: `do:disable:${user}:0:${stamp}` };
      const written = { ...message, from: { ...from, id: VICTIM }, chat: { id: VICTIM, type: 'private' } };
      const bodies = [
        { update_id: 1, callback_query: pressed },
        { update_id: 2, message: { ...written, text: '/start' } },
      ];
      return bodies
        .map(
          (body) =>
            `INSERT INTO bot_updates (bot_id, update_id, body, failures, received_at, next_at)
             VALUES (7654321, ${body.update_id}, '${JSON.stringify(body)}', 0, 0, 0)`,
        )
        .join(';');
    },
  },
  bot_messages: {
    planted: "dedupe_key = 'planted'",
    insert:
      () => `INSERT INTO bot_messages (chat_id, dedupe_key, method, payload, priority, attempts, not_before, created_at)
      VALUES (${SUBSCRIBER}, 'planted', 'sendMessage', '{"text":"https://evil.example"}', 0, 0, 0, 0)`,
  },
  bot_chats: {
    planted: `chat_id = ${VICTIM}`,
    insert: () => `INSERT INTO bot_chats (chat_id, prompt) VALUES (${VICTIM}, 'promo:${'p'.repeat(24)}')`,
  },
  broadcasts: {
    planted: "key = 'planted-broadcast'",
    insert:
      () => `INSERT INTO broadcasts (id, key, bot_id, texts, filter, state, total, sent, blocked, failed, last_user_id, until_user_id, created_at)
      VALUES (77, 'planted-broadcast', 7654321, '[{"language":"en","text":"https://evil.example"}]', '{"all":true}', 'running', 9, 0, 0, 0, 0, 999, 1)`,
  },
  broadcast_people: {
    planted: 'broadcast_id = 77',
    insert: ({ user }) =>
      `INSERT INTO broadcast_people (broadcast_id, user_id, state, at) VALUES (77, ${user}, 'queued', 1)`,
  },
  idempotency: {
    planted: "key = 'planted'",
    insert: () => `INSERT INTO idempotency (scope, key, at, fingerprint, status, body)
      VALUES ('administrator', 'planted', ${Date.now()}, 'planted', 200, '{}')`,
  },
  idempotency_parts: {
    planted: "key = 'planted'",
    insert: () => `INSERT INTO idempotency_parts (scope, key, number, at, fingerprint, data)
      VALUES ('administrator', 'planted', 1, ${Date.now()}, 'planted', '{}')`,
  },
  node_changes: {
    planted: 'user_id = 424242',
    insert: () => 'INSERT INTO node_changes (user_id) VALUES (424242)',
  },
  // Money that the provider is to give back.
  payments: {
    planted: "external_id = 'pi_planted'",
    insert: ({
      provider,
    }) => `INSERT INTO payments (kind, provider_id, external_id, is_test, amount, currency, refunded, paid_at, raw, state, provider_state,
        note, refund_key, next_refund_at, created_at)
      VALUES ('stripe', ${provider}, 'pi_planted', 1, 499, 'EUR', 0, 1, '{}', 'applied', 'paid', '', 'planted-refund-key', 0, 1)`,
  },
  // Read so far already that no payment is found any more.
  providers: {
    planted: "cursor = 'evt_planted' OR caught_up_at = 8000000000000",
    insert: () => "UPDATE providers SET cursor = 'evt_planted', caught_up_at = 8000000000000",
  },
  webhook_deliveries: {
    planted: "type = 'planted'",
    insert: ({
      webhook,
    }) => `INSERT INTO webhook_deliveries (id, webhook_id, type, body, state, attempts, failures, created_at, begun_at, next_at)
      VALUES (88, ${webhook}, 'planted', '{"type":"planted"}', 'pending', 0, 0, 0, 0, 0)`,
  },
  webhook_attempts: {
    planted: 'delivery_id = 88',
    insert: () => 'INSERT INTO webhook_attempts (delivery_id, number, at, duration_ms) VALUES (88, 1, 1, 1)',
  },
};

/** The rows of a table that something would still carry out; of one that is not restored at all, any. */
function countWaiting(db: Database.Database, table: PendingTable): number {
  const rule = table in PENDING_RULES ? PENDING_RULES[table as keyof typeof PENDING_RULES] : null;
  const waits = rule === null ? 'TRUE' : rule.waits;
  return Number(
    db.prepare(`SELECT count(*) FROM ${table} WHERE (${waits}) AND (${PLANTS[table].planted})`).pluck().get(),
  );
}

test('planted work is not carried out, and what was moved is named and confirmed before', async () => {
  await using api = await openBotApi();
  await using stripe = await openStripe();
  await using receiver = await openReceiver();
  await using attacked = await openAttacked();
  const { cli, browserAt } = attacked;
  const owner = browserAt('203.0.113.9');
  const act: typeof owner.call = async (id, input) => {
    const outcome = await owner.call(id, input);
    if (outcome.status >= 300) throw new Error(`${id}: ${JSON.stringify(outcome.problem)}`);
    return outcome;
  };
  await act('signIn', { name: 'admin', password: PASSWORD });
  await act('saveBot', { token: BOT_TOKEN, api_root: api.root, allow_private: true, password: PASSWORD });
  api.write(ADMIN, (await act('inviteBotAdmin', { password: PASSWORD })).body.command, { first_name: 'Anna' });
  await expect.poll(() => api.findLastMessage(ADMIN)?.text, patient).toContain('This account is paired');
  const { body: tariff } = await act('createTariff', { name: 'Monthly', duration: { months: 1 } });
  const { body: user } = await act('createUser', { name: 'Boris', tariff_id: tariff.id, telegram_id: SUBSCRIBER });
  await act('createNode', { name: 'Berlin', kind: 'remote', address: 'berlin.example.org', password: PASSWORD });
  const { body: hook } = await act('createWebhook', {
    url: receiver.url,
    types: null,
    allow_private: true,
    password: PASSWORD,
  });
  const { body: provider } = await act('createProvider', {
    kind: 'stripe',
    name: 'Stripe',
    fields: stripe.fields,
    api_root: stripe.root,
    allow_private: true,
    password: PASSWORD,
  });
  const { body: made } = await act('createBackup', { password: PASSWORD });

  const ids = { user: user.id, webhook: hook.webhook.id, provider: provider.id };
  const pending = (Object.keys(RESTORE_CLASSES) as PendingTable[]).filter(
    (table) => getWholeClass(table) === 'pending' || table in PENDING_RULES,
  );
  expect(pending.sort()).toEqual(Object.keys(PLANTS).sort());
  const file = join(cli.folder, 'backups', made.name);
  tamper(file, `${file}.changed`, (db) => {
    db.pragma('foreign_keys = OFF');
    for (const table of pending) db.exec(PLANTS[table].insert(ids));
    for (const table of pending) expect([table, countWaiting(db, table)]).not.toEqual([table, 0]);
    db.exec(
      `UPDATE users SET token = 'planted-token-of-the-attacker', telegram_id = 9009;
       UPDATE nodes SET address = 'evil.example';
       UPDATE tariffs SET price_amount = 1, price_currency = 'EUR'`,
    );
  });
  renameSync(`${file}.changed`, file);

  const restore = { name: made.name, password: PASSWORD };
  expect((await owner.call('restoreBackup', restore)).problem.errors).toMatchObject([{ code: 'unconfirmed' }]);
  const { body: verdict } = await act('checkBackup', { name: made.name });
  const named = new Map(verdict.differences?.values.map((one) => [one.kind, one]));
  expect(named.get('nodes.address')?.items).toEqual([
    { record: 'Berlin', here: 'berlin.example.org', there: 'evil.example' },
  ]);
  expect(named.get('users.telegram_id')?.items).toEqual([{ record: 'Boris', here: `${SUBSCRIBER}`, there: '9009' }]);
  expect(named.get('users.token')?.items).toMatchObject([{ record: 'Boris', there: 'plan…' }]);
  expect(named.get('tariffs.price_amount')?.items).toEqual([{ record: 'Monthly', here: null, there: '1' }]);

  const before = { messages: api.messages.size, hooks: receiver.received.length, requests: stripe.requests.length };
  await act('restoreBackup', { ...restore, confirm: verdict.fingerprint ?? '' });
  const db = new Database(join(cli.folder, 'panel.db'), { readonly: true });
  const waiting = pending.map((table) => [table, countWaiting(db, table)] as const);
  db.close();

  // Each of the three works again, so that what was planted had its turn.
  api.write(8008, '/start');
  await expect.poll(() => api.findLastMessage(8008)?.text, patient).toBeDefined();
  await act('createTariff', { name: 'Made after it', duration: { months: 1 } });
  await receiver.until((received) => received.some(({ type }) => type === 'tariff.created'));
  const asked = () => stripe.requests.slice(before.requests).map(({ path }) => path);
  await expect.poll(asked, patient).toContain('/v1/events');

  expect(waiting.filter(([, count]) => count > 0)).toEqual([]);
  const sent = [...api.messages.values()].slice(before.messages);
  expect(sent.filter(({ chatId }) => chatId !== 8008).map(({ chatId, text }) => [chatId, text])).toEqual([]);
  const received = receiver.received.slice(before.hooks).map(({ type }) => type);
  expect(received).not.toContain('planted');
  const refunds = asked().filter((path) => path.includes('planted') || path.includes('refund'));
  expect(refunds).toEqual([]);
  expect((await act('getUser', { id: user.id })).body.enabled).toBe(true);
  console.log(
    `planted in ${pending.length} tables of pending work: ${pending.join(', ')}; waiting after the restore: 0; ` +
      `sent by the bot to others: 0, planted webhooks: 0, refunds: ${refunds.length}; columns that a check names: ${listNamedPlaces().length}`,
  );
}, 120_000);
