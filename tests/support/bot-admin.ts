// A bot without a token, and an account of the administrator: what is to be said there waits in the store.
import type { BotRow } from '../../src/core/ports/bot.ts';
import type { Store } from '../../src/core/ports/ports.ts';

export const BOT: BotRow = {
  botId: 7,
  username: 'anna_vpn_bot',
  name: 'Anna VPN',
  apiRoot: null,
  allowPrivate: false,
  proxy: null,
  appPath: 'a'.repeat(32),
  enabled: true,
  error: null,
  errorAt: null,
  updatedAt: 1,
};
export const ADMIN = 5005;

/** Pairs the account; `queued` takes what may be said to it at a moment. */
export function pairAdmin(store: Store): { queued(now: number): string[] } {
  store.write(() => {
    store.bot.save(BOT);
    store.bot.saveAdmin({ telegramId: ADMIN, name: 'Anna', pairedAt: 1, provenAt: null });
  });
  return { queued: (now) => dequeueSent(store, ADMIN, now) };
}

/** What may be sent to a chat at a moment, which is sent by that. */
export function dequeueSent(store: Store, chatId: number, now: number): string[] {
  const texts: string[] = [];
  for (;;) {
    const next = store.bot.nextMessage({ now, most: 3, ids: [], chats: [], methods: [] });
    if (!next) return texts;
    if (next.method !== 'sendMessage' || next.chatId !== chatId)
      throw new Error(`${next.method} to ${next.chatId} was not expected`);
    texts.push(String(next.payload.text));
    store.write(() => store.bot.finishMessage(next.id, 1, null, now));
  }
}
