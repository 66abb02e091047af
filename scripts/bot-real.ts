// `npm run bot:real -- --token-file <file> [--proxy <url>]`: holds the bot's client against Telegram itself, with a bot of your own that no
// panel runs. Write /start to the bot when it asks for that. It sends some messages and an invoice that nobody has to pay, and edits one; it
// confirms the updates that wait. It says of each step whether Telegram answered as tests/support/bot-api.ts does.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createOutboundAgent } from '../src/adapters/outbound-agent.ts';
import { isRefusedUrl } from '../src/adapters/outbound-client.ts';
import { createBotClient } from '../src/bot/client.ts';
import type { BotLink } from '../src/core/ports/bot.ts';
import { parseCountedJson } from '../src/domain/foreign-json.ts';

const TIMEOUT_MS = 30_000;
const LONG_POLL_S = 50;
const ALLOWED = ['message', 'callback_query', 'pre_checkout_query', 'my_chat_member', 'subscription'];

type Outcome = Awaited<ReturnType<BotLink['call']>>;

const { values } = parseArgs({ options: { 'token-file': { type: 'string' }, proxy: { type: 'string' } } });
if (values['token-file'] === undefined) throw new Error('Name the file with the token: --token-file <file>.');
const token = readFileSync(values['token-file'], 'utf8').trim();
const client = createBotClient({
  isRefused: isRefusedUrl,
  agent: (url, allowPrivate, proxy) => Promise.resolve(createOutboundAgent(url, allowPrivate, proxy)),
  parseLarge: async (bytes) => parseCountedJson(bytes),
});
const link = client.connect({ token, apiRoot: null, allowPrivate: false, proxy: values.proxy ?? null });

/** `wanted`: what Telegram is to say; null: that it was done. */
function report(name: string, outcome: Outcome, wanted: RegExp | null = null): boolean {
  const said = 'error' in outcome ? `${outcome.error} ${outcome.description}` : 'done';
  const isRight = wanted === null ? !('error' in outcome) : wanted.test(said);
  console.log(`${isRight ? 'as expected' : 'NOT AS EXPECTED'}  ${name}: ${said}`);
  if (!isRight) process.exitCode = 1;
  return isRight;
}

/** The id of the chat in which somebody writes /start next. */
async function firstChat(): Promise<number | null> {
  let offset: number | null = null;
  for (let round = 0; round < 6; round += 1) {
    const asked = { timeout: LONG_POLL_S, limit: 100, allowed_updates: ALLOWED, ...(offset !== null && { offset }) };
    const outcome = await link.call('getUpdates', asked, (LONG_POLL_S + 15) * 1000);
    if (!report('getUpdates', outcome) || 'error' in outcome) return null;
    const updates = outcome.result as readonly {
      readonly update_id: number;
      readonly message?: { readonly chat: { readonly id: number; readonly type: string } };
    }[];
    const last = updates.at(-1);
    if (last) offset = last.update_id + 1;
    const chat = updates.find(({ message }) => message?.chat.type === 'private')?.message?.chat.id;
    if (chat !== undefined) return chat;
  }
  return null;
}

async function tryChat(chatId: number): Promise<void> {
  const call = (method: string, more: object) => link.call(method, { chat_id: chatId, ...more }, TIMEOUT_MS);
  const keyboard = (button: object) => ({ inline_keyboard: [[{ text: 'Button', ...button }]] });
  const sent = await call('sendMessage', {
    text: '<b>Test</b> of <code>HTML</code> &amp; a button',
    parse_mode: 'HTML',
    protect_content: true,
    reply_markup: keyboard({ callback_data: 'home' }),
  });
  if (!report('sendMessage', sent) || 'error' in sent) return;
  const { message_id } = sent.result as { readonly message_id: number };
  const edit = (text: string) => call('editMessageText', { message_id, text });
  report('editMessageText', await edit('Edited'));
  report('editMessageText, the same', await edit('Edited'), /message is not modified/i);
  report('sendPhoto', await call('sendPhoto', { photo: { qr: 'https://example.com' }, caption: 'QR code' }));
  const invoice = { title: 'Test', description: 'Do not pay', payload: 'test', provider_token: '', currency: 'XTR' };
  report('sendInvoice', await call('sendInvoice', { ...invoice, prices: [{ label: 'Test', amount: 1 }] }));
  report(
    'sendInvoice, two prices',
    await call('sendInvoice', {
      ...invoice,
      prices: [
        { label: 'A', amount: 1 },
        { label: 'B', amount: 1 },
      ],
    }),
    /^refused/,
  );
  report(
    'HTML that is not closed',
    await call('sendMessage', { text: '<b>x', parse_mode: 'HTML' }),
    /can't parse entities/i,
  );
  report('text of 4097 characters', await call('sendMessage', { text: 'x'.repeat(4097) }), /message is too long/i);
  report(
    'button data of 65 bytes',
    await call('sendMessage', { text: 'x', reply_markup: keyboard({ callback_data: 'x'.repeat(65) }) }),
    /BUTTON_DATA_INVALID/,
  );
  const unknown = await link.call('answerCallbackQuery', { callback_query_id: '1' }, TIMEOUT_MS);
  report('a query that there is not', unknown, /query is too old|query id is invalid/i);
}

try {
  const me = await link.call('getMe', {}, TIMEOUT_MS);
  if (report('getMe', me) && !('error' in me)) {
    const { username } = me.result as { readonly username: string };
    console.log(`Write /start to @${username} within five minutes.`);
    const chatId = await firstChat();
    if (chatId === null) console.log('Nobody wrote.');
    else await tryChat(chatId);
    report('getStarTransactions', await link.call('getStarTransactions', { offset: 0, limit: 1 }, TIMEOUT_MS));
  }
} finally {
  link.close();
}
