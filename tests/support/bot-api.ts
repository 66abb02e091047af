// A fake Bot API: people who write to the bot, press its buttons and pay, and the refusals of Telegram. It speaks HTTP as the real one does.
import { EventEmitter, once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export const BOT_TOKEN = '7654321:AAcanary-of-the-bot-Qw83';
const BOT_ID = 7_654_321;
const TAKEN = 'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running';
const LIMITS = {
  text: 4096,
  buttons: 100,
  deleteMs: 48 * 3_600_000,
  caption: 1024,
  button: 64,
  copied: 256,
  answer: 200,
  perSecond: 30,
  checkoutMs: 10_000,
  file: 50_000_000,
};
/** The tags that Telegram knows. */
const TAGS = new Set(['b', 'i', 'u', 's', 'code', 'pre', 'a', 'tg-spoiler', 'blockquote']);

type Json = Readonly<Record<string, unknown>>;
type Button = Readonly<Record<string, unknown>> & { readonly text: string };

/** A message as the chat shows it. */
export interface Shown {
  readonly id: number;
  readonly chatId: number;
  text: string;
  buttons: readonly Button[];
  readonly photo: Buffer | null;
  /** The bytes of a file. */
  readonly document?: Buffer;
  readonly invoice?: { readonly payload: string; readonly stars: number };
}

/** `late`: the effect happens and the reply is 500. `cut`: the same with a connection that breaks off. */
export type BotFault =
  | 'late'
  | 'cut'
  | 'down'
  | 'garbage'
  | 'redirect'
  | { readonly retryAfter: number }
  | { readonly refused: string };

export interface FakeBotApi extends AsyncDisposable {
  readonly root: string;
  readonly token: string;
  readonly calls: readonly { readonly method: string; readonly given: Json }[];
  /** Emits `call` with each of them. */
  readonly asked: EventEmitter;
  /** Messages that are there, by their ids. */
  readonly messages: ReadonlyMap<number, Shown>;
  /** Updates that are not confirmed. */
  readonly waiting: readonly Json[];
  /** Answers to pre-checkout queries, by their ids. */
  readonly checkouts: ReadonlyMap<string, boolean>;
  /** The next calls of a method, in order, have these faults. */
  fail(method: string, ...faults: readonly BotFault[]): void;
  /** The person writes. */
  write(chatId: number, text: string, from?: Json): void;
  /** The person presses a button of the last message that has one of this text. */
  press(chatId: number, text: string): void;
  /** All messages were sent so much earlier. */
  age(ms: number): void;
  block(chatId: number): void;
  push(update: Json): void;
  /** Is about to pay: Telegram asks the bot. */
  checkOut(chatId: number, payload: string, amount: number): string;
  /** Has paid: it is in the ledger of the bot's Stars as well. */
  pay(chatId: number, payload: string, amount: number, charge: string): void;
  /** Got it back, by Telegram's own support. */
  refundCharge(charge: string): void;
  /** The ids of updates go on from here. */
  restartIds(at: number): void;
  /** Another program asks for updates. */
  setConflict(isTaken: boolean): void;
  setWebhook(url: string): void;
  revoke(): void;
  findLastMessage(chatId: number): Shown | undefined;
}

class Refusal extends Error {
  readonly status: number;
  readonly parameters: Json | undefined;
  constructor(status: number, description: string, parameters?: Json) {
    super(description);
    this.status = status;
    this.parameters = parameters;
  }
}

/** Why Telegram does not read it as HTML; null: it does. */
export function htmlFault(text: string): string | null {
  const open: string[] = [];
  if (/&(?!(?:amp|lt|gt|quot|#\d+);)/.test(text)) return 'unknown entity';
  for (const [, slash, name = ''] of text.matchAll(/<(\/?)([^\s>]*)[^>]*>/g)) {
    if (!TAGS.has(name)) return `unsupported start tag "${name}"`;
    if (slash === '') open.push(name);
    else if (open.pop() !== name) return `unexpected end tag "${name}"`;
  }
  if (/<(?![/a-z])/.test(text)) return 'unsupported start tag';
  return open.length > 0 ? `can't find end tag "${open.at(-1)}"` : null;
}

/** As it is counted and shown: without its tags. */
function plain(text: string, mode: unknown): string {
  if (mode !== 'HTML') return text;
  const fault = htmlFault(text);
  if (fault !== null) throw new Refusal(400, `Bad Request: can't parse entities: ${fault}`);
  return text
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

/** Telegram opens nothing but HTTPS. */
function requireApp(app: unknown): void {
  if (!/^https:\/\/[^/]+\.[^/]+\//.test(String((app as Json).url)))
    throw new Refusal(400, 'Bad Request: inline keyboard button Web App URL is invalid: Only HTTPS links are allowed');
}

function parseButtons(given: Json): readonly Button[] {
  const rows = ((given.reply_markup as Json | undefined)?.inline_keyboard ?? []) as readonly (readonly Button[])[];
  if (rows.flat().length > LIMITS.buttons) throw new Refusal(400, 'Bad Request: reply markup is too long');
  for (const { text, callback_data: data, url, copy_text: copied, web_app: app } of rows.flat()) {
    if (text === '') throw new Refusal(400, 'Bad Request: inline keyboard button text must be non-empty');
    if ([data, url, copied, app].filter((one) => one !== undefined).length !== 1)
      throw new Refusal(400, 'Bad Request: inline keyboard button must have exactly one type');
    if (data !== undefined && Buffer.byteLength(String(data)) > LIMITS.button)
      throw new Refusal(400, 'Bad Request: BUTTON_DATA_INVALID');
    if (url !== undefined && !/^(https?:\/\/[^/]+\.[^/]+|tg:\/\/)/.test(String(url)))
      throw new Refusal(400, 'Bad Request: inline keyboard button URL is invalid: Wrong HTTP URL');
    if (app !== undefined) requireApp(app);
    if (copied !== undefined && String((copied as Json).text).length > LIMITS.copied)
      throw new Refusal(400, 'Bad Request: BUTTON_COPY_TEXT_INVALID');
  }
  return rows.flat();
}

/** Fields and files of multipart/form-data, or the members of JSON. */
function parse(contentType: string, raw: Buffer): Json {
  const [, boundary] = /boundary=("?)([^";]+)\1/.exec(contentType)?.slice(1) ?? [];
  if (boundary === undefined) return raw.length === 0 ? {} : JSON.parse(raw.toString());
  const given: Record<string, unknown> = {};
  const files: Record<string, Buffer> = {};
  for (const part of raw.toString('latin1').split(`--${boundary}`).slice(1, -1)) {
    const [head = '', ...rest] = part.split('\r\n\r\n');
    const body = Buffer.from(rest.join('\r\n\r\n').slice(0, -2), 'latin1');
    const name = /name="([^"]*)"/.exec(head)?.[1] ?? '';
    if (head.includes('filename=')) files[name] = body;
    else given[name] = body.toString('utf8');
  }
  for (const [name, value] of Object.entries(given)) {
    const file = /^attach:\/\/(.*)$/.exec(String(value))?.[1];
    if (file !== undefined) given[name] = files[file];
    else if (/^[[{]|^(true|false|-?\d+)$/.test(String(value))) given[name] = JSON.parse(String(value));
  }
  return given;
}

export async function openBotApi(): Promise<FakeBotApi> {
  const calls: { readonly method: string; readonly given: Json }[] = [];
  const messages = new Map<number, Shown>();
  const updates: (Json & { readonly update_id: number })[] = [];
  const faults = new Map<string, BotFault[]>();
  const checkouts = new Map<string, boolean>();
  const asked = new EventEmitter();
  const ledger: Json[] = [];
  const charges = new Map<string, Json>();
  /** Pre-checkout queries that wait for an answer, and since when. */
  const open = new Map<string, number>();
  const sentAt: number[] = [];
  const queries = new Set<string>();
  const blocked = new Set<number>();
  let nextUpdate = 100;
  let nextMessage = 1;
  let nextId = 1;
  let token = BOT_TOKEN;
  let webhook = '';
  let isTaken = false;
  let wakePoll = () => {};
  let poll: { end(why?: Refusal): void } | null = null;

  const push = (update: Json) => {
    updates.push({ update_id: nextUpdate, ...update });
    nextUpdate += 1;
    wakePoll();
  };
  const person = (id: number, more: Json = {}) => ({
    id,
    is_bot: false,
    first_name: 'Anna',
    language_code: 'en',
    ...more,
  });
  const aged = new Map<number, number>();
  const writtenAt = (id: number) => Date.now() - (aged.get(id) ?? 0);
  const buildChat = (id: number) => ({ id, type: 'private', first_name: 'Anna' });
  const buildMessage = ({ id, chatId, text }: Shown) => ({
    message_id: id,
    date: Math.floor(writtenAt(id) / 1000),
    chat: buildChat(chatId),
    from: { id: BOT_ID, is_bot: true, first_name: 'Anna VPN', username: 'anna_vpn_bot' },
    text,
  });

  const buildUser = (id: number, payload: string) => ({
    type: 'user',
    transaction_type: 'invoice_payment',
    user: person(id),
    invoice_payload: payload,
  });
  const buildTransaction = (id: string, amount: number, more: Json) => ({ id, amount, date: 1_764_000_000, ...more });

  async function getUpdates({ offset, limit = 100, timeout = 0, allowed_updates: allowed }: Json) {
    if (webhook !== '')
      throw new Refusal(
        409,
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
      );
    if (isTaken) throw new Refusal(409, TAKEN);
    if (!Array.isArray(allowed))
      throw new Refusal(400, 'Bad Request: this fake wants allowed_updates with each request');
    poll?.end();
    // What is before the offset is confirmed; an offset that is far ahead is none.
    if (offset !== undefined && Number(offset) <= nextUpdate + 10)
      while (updates[0] && updates[0].update_id < Number(offset)) updates.shift();
    if (updates.length === 0 && Number(timeout) > 0) {
      const why = await new Promise<Refusal | null>((resolve) => {
        poll = { end: (refusal = new Refusal(409, TAKEN)) => resolve(refusal) };
        wakePoll = () => resolve(null);
      });
      wakePoll = () => {};
      poll = null;
      if (why) throw why;
    }
    return updates.slice(0, Number(limit));
  }

  function requireChat(given: Json): number {
    const chatId = Number(given.chat_id);
    if (!Number.isSafeInteger(chatId)) throw new Refusal(400, 'Bad Request: chat_id is empty');
    if (blocked.has(chatId)) throw new Refusal(403, 'Forbidden: bot was blocked by the user');
    return chatId;
  }

  /** Telegram takes about 30 messages a second. */
  function requirePace(method: string): void {
    if (!/^send/.test(method)) return;
    const now = performance.now();
    while (sentAt[0] !== undefined && sentAt[0] <= now - 1000) sentAt.shift();
    if (sentAt.length >= LIMITS.perSecond)
      throw new Refusal(429, 'Too Many Requests: retry after 1', { retry_after: 1 });
    sentAt.push(now);
  }

  function requireText(text: string, most: number): string {
    if (text.trim() === '') throw new Refusal(400, 'Bad Request: message text is empty');
    if (text.length > most) throw new Refusal(400, 'Bad Request: message is too long');
    return text;
  }

  function answer(method: string, given: Json): unknown {
    requirePace(method);
    switch (method) {
      case 'getMe':
        return { id: BOT_ID, is_bot: true, first_name: 'Anna VPN', username: 'anna_vpn_bot' };
      case 'setChatMenuButton': {
        const { type, text, web_app: app } = (given.menu_button ?? {}) as Json;
        if (type === 'web_app') {
          if (!text) throw new Refusal(400, 'Bad Request: menu button text must be non-empty');
          requireApp(app);
        } else if (type !== 'default' && type !== 'commands')
          throw new Refusal(400, 'Bad Request: unsupported menu button type');
        return true;
      }
      case 'deleteWebhook':
        webhook = '';
        return true;
      case 'sendMessage': {
        const chatId = requireChat(given);
        const text = requireText(plain(String(given.text ?? ''), given.parse_mode), LIMITS.text);
        const shown = { id: nextMessage, chatId, text, buttons: parseButtons(given), photo: null };
        nextMessage += 1;
        messages.set(shown.id, shown);
        return buildMessage(shown);
      }
      case 'sendPhoto': {
        const chatId = requireChat(given);
        const text = plain(String(given.caption ?? ''), given.parse_mode);
        if (text.length > LIMITS.caption) throw new Refusal(400, 'Bad Request: message caption is too long');
        if (!Buffer.isBuffer(given.photo) || given.photo.toString('latin1', 1, 4) !== 'PNG')
          throw new Refusal(400, 'Bad Request: IMAGE_PROCESS_FAILED');
        const shown = { id: nextMessage, chatId, text, buttons: parseButtons(given), photo: given.photo };
        nextMessage += 1;
        messages.set(shown.id, shown);
        return buildMessage(shown);
      }
      case 'sendDocument': {
        const chatId = requireChat(given);
        if (!Buffer.isBuffer(given.document)) throw new Refusal(400, 'Bad Request: wrong file identifier');
        if (given.document.length > LIMITS.file) throw new Refusal(413, 'Request Entity Too Large');
        const text = plain(String(given.caption ?? ''), given.parse_mode);
        const shown = {
          id: nextMessage,
          chatId,
          text,
          buttons: parseButtons(given),
          photo: null,
          document: given.document,
        };
        nextMessage += 1;
        messages.set(shown.id, shown);
        return buildMessage(shown);
      }
      case 'editMessageText': {
        requireChat(given);
        const shown = messages.get(Number(given.message_id));
        if (!shown) throw new Refusal(400, 'Bad Request: message to edit not found');
        const text = requireText(plain(String(given.text ?? ''), given.parse_mode), LIMITS.text);
        const buttons = parseButtons(given);
        if (text === shown.text && JSON.stringify(buttons) === JSON.stringify(shown.buttons))
          throw new Refusal(400, 'Bad Request: message is not modified');
        shown.text = text;
        shown.buttons = buttons;
        return buildMessage(shown);
      }
      case 'editMessageReplyMarkup': {
        requireChat(given);
        const shown = messages.get(Number(given.message_id));
        if (!shown) throw new Refusal(400, 'Bad Request: message to edit not found');
        shown.buttons = parseButtons(given);
        return buildMessage(shown);
      }
      case 'deleteMessage':
        requireChat(given);
        // https://core.telegram.org/bots/api#deletemessage
        if (Date.now() - writtenAt(Number(given.message_id)) > LIMITS.deleteMs)
          throw new Refusal(400, "Bad Request: message can't be deleted for everyone");
        if (!messages.delete(Number(given.message_id)))
          throw new Refusal(400, 'Bad Request: message to delete not found');
        return true;
      case 'answerCallbackQuery':
        if (!queries.delete(String(given.callback_query_id)))
          throw new Refusal(400, 'Bad Request: query is too old and response timeout expired or query ID is invalid');
        if (String(given.text ?? '').length > LIMITS.answer) throw new Refusal(400, 'Bad Request: MESSAGE_TOO_LONG');
        return true;
      case 'answerPreCheckoutQuery': {
        const id = String(given.pre_checkout_query_id);
        const askedAt = open.get(id) ?? Number.NEGATIVE_INFINITY;
        if (!open.delete(id) || performance.now() - askedAt > LIMITS.checkoutMs)
          throw new Refusal(400, 'Bad Request: query is too old or the query ID is invalid');
        if (given.ok !== true && !given.error_message) throw new Refusal(400, 'Bad Request: error message is empty');
        checkouts.set(id, given.ok === true);
        return true;
      }
      case 'createInvoiceLink': {
        const prices = given.prices as readonly Json[];
        const isRight = given.currency === 'XTR' && given.provider_token === '' && prices.length === 1;
        if (!isRight || String(given.title).length > 32 || Buffer.byteLength(String(given.payload)) > 128)
          throw new Refusal(400, 'Bad Request: STARS_INVOICE_INVALID');
        return `https://t.me/$${given.payload}`;
      }
      case 'sendInvoice': {
        const chatId = requireChat(given);
        const prices = given.prices as readonly Json[];
        const isRight = given.currency === 'XTR' && given.provider_token === '' && prices.length === 1;
        const [title, description] = [String(given.title ?? ''), String(given.description ?? '')];
        const isText = title.length >= 1 && title.length <= 32 && description.length >= 1 && description.length <= 255;
        if (!isRight || !isText || Buffer.byteLength(String(given.payload)) > 128 || !(Number(prices[0]?.amount) >= 1))
          throw new Refusal(400, 'Bad Request: STARS_INVOICE_INVALID');
        const shown = {
          id: nextMessage,
          chatId,
          text: title,
          buttons: [],
          photo: null,
          invoice: { payload: String(given.payload), stars: Number(prices[0]?.amount) },
        };
        nextMessage += 1;
        messages.set(shown.id, shown);
        return buildMessage(shown);
      }
      case 'refundStarPayment': {
        const charge = charges.get(String(given.telegram_payment_charge_id));
        const refund = charge?.refunded_payment as Json | undefined;
        if (!charge || !refund || (charge.from as Json).id !== given.user_id)
          throw new Refusal(400, 'Bad Request: CHARGE_ID_INVALID');
        const id = String(refund.telegram_payment_charge_id);
        if (ledger.some((one) => one.id === id && one.receiver !== undefined))
          throw new Refusal(400, 'Bad Request: CHARGE_ALREADY_REFUNDED');
        const receiver = buildUser(Number(given.user_id), String(refund.invoice_payload));
        ledger.push(buildTransaction(id, Number(refund.total_amount), { receiver }));
        push({ message: { message_id: nextMessage, ...charge } });
        nextMessage += 1;
        return true;
      }
      case 'getStarTransactions':
        return { transactions: ledger.slice(Number(given.offset), Number(given.offset) + Number(given.limit)) };
      default:
        throw new Refusal(404, 'Not Found: method not found');
    }
  }

  const server = http.createServer(async (request, reply) => {
    const send = (status: number, body: unknown) => {
      reply.writeHead(status, { 'content-type': 'application/json' });
      reply.end(JSON.stringify(body));
    };
    const refuse = (status: number, description: string, parameters?: Json) =>
      send(status, { ok: false, error_code: status, description, ...(parameters && { parameters }) });
    const [, bot, method = ''] = (request.url ?? '').split('/');
    const raw = await buffer(request).catch(() => null);
    if (raw === null) return;
    if (bot !== `bot${token}`) return refuse(401, 'Unauthorized');
    const given = parse(request.headers['content-type'] ?? '', raw);
    calls.push({ method, given });
    asked.emit('call');
    const fault = faults.get(method)?.shift();
    if (fault === 'down') return refuse(502, 'Bad Gateway');
    if (fault === 'garbage') {
      reply.end('<html>');
      return;
    }
    if (fault === 'redirect') {
      reply.writeHead(302, { location: 'http://127.0.0.1:9/' }).end();
      return;
    }
    if (typeof fault === 'object' && 'retryAfter' in fault)
      return refuse(429, `Too Many Requests: retry after ${fault.retryAfter}`, { retry_after: fault.retryAfter });
    if (typeof fault === 'object') return refuse(Number(fault.refused.slice(0, 3)), fault.refused.slice(4));
    try {
      const result = method === 'getUpdates' ? await getUpdates(given) : answer(method, given);
      if (fault === 'cut') request.socket.destroy();
      else if (fault === 'late') refuse(500, 'Internal Server Error');
      else send(200, { ok: true, result });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refuse(error.status, error.message, error.parameters);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    root: `http://127.0.0.1:${port}`,
    token: BOT_TOKEN,
    calls,
    messages,
    waiting: updates,
    checkouts,
    asked,
    push,
    fail: (method, ...more) => {
      faults.set(method, [...(faults.get(method) ?? []), ...more]);
    },
    write(chatId, text, from) {
      const command = /^\/\w+/.exec(text)?.[0];
      const entities = command && [{ type: 'bot_command', offset: 0, length: command.length }];
      const message = {
        message_id: nextMessage,
        date: 1_764_000_000,
        chat: buildChat(chatId),
        from: person(chatId, from),
        text,
      };
      nextMessage += 1;
      push({ message: { ...message, ...(entities && { entities }) } });
    },
    age(ms) {
      for (const id of messages.keys()) aged.set(id, ms);
    },
    press(chatId, text) {
      const shown = [...messages.values()]
        .reverse()
        .find((one) => one.chatId === chatId && one.buttons.some((each) => each.text === text));
      const pressed = shown?.buttons.find((each) => each.text === text);
      if (!shown || pressed?.callback_data === undefined) throw new Error(`chat ${chatId} has no button ${text}`);
      const id = String(nextId);
      nextId += 1;
      queries.add(id);
      push({
        callback_query: {
          id,
          from: person(chatId),
          chat_instance: '1',
          message: buildMessage(shown),
          data: pressed.callback_data,
        },
      });
    },
    block(chatId) {
      blocked.add(chatId);
    },
    checkOut(chatId, payload, amount) {
      const id = `checkout-${nextId}`;
      nextId += 1;
      open.set(id, performance.now());
      push({
        pre_checkout_query: {
          id,
          from: person(chatId),
          currency: 'XTR',
          total_amount: amount,
          invoice_payload: payload,
        },
      });
      return id;
    },
    pay(chatId, payload, amount, charge) {
      const paid = {
        currency: 'XTR',
        total_amount: amount,
        invoice_payload: payload,
        telegram_payment_charge_id: charge,
        provider_payment_charge_id: '',
      };
      const message = { date: 1_764_000_000, chat: buildChat(chatId), from: person(chatId) };
      if (!charges.has(charge)) ledger.push(buildTransaction(charge, amount, { source: buildUser(chatId, payload) }));
      charges.set(charge, { ...message, refunded_payment: paid });
      push({ message: { message_id: nextMessage, ...message, successful_payment: paid } });
      nextMessage += 1;
    },
    refundCharge(charge) {
      push({ message: { message_id: nextMessage, ...charges.get(charge) } });
      nextMessage += 1;
    },
    restartIds: (at) => {
      nextUpdate = at;
    },
    setConflict: (isNow) => {
      isTaken = isNow;
      if (isNow) poll?.end();
    },
    setWebhook: (url) => {
      webhook = url;
      if (url !== '') poll?.end();
    },
    revoke: () => {
      token = 'revoked';
      poll?.end(new Refusal(401, 'Unauthorized'));
    },
    findLastMessage: (chatId) => [...messages.values()].filter((one) => one.chatId === chatId).at(-1),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
