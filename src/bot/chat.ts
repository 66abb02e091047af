// The bot's answers: from an update to messages that are queued, not sent, so that an update that is handled twice has no second effect.

import type { PreCheckoutQuery, Update, UserFromGetMe } from 'grammy/types';
import { Api, Composer, type NextFunction } from 'grammy/web';
import type { BotRow, UpdateEffect } from '../core/ports/bot.ts';
import { hostTexts } from '../i18n/host.ts';
import { chooseLanguage } from '../i18n/languages.ts';
import {
  answerPrompt,
  type ChatParts,
  type ChatScreens,
  createChatScreens,
  listButtons,
  listCommands,
  runRoute,
} from './chat-routes.ts';
import { ChatContext, type Later, sendMessage, show } from './screen.ts';

/** A context needs an API object. It sends nothing: messages are stored first. */
const NO_API = new Api('0:unused');

export interface Chat {
  /** The effect of an update as Telegram sent it; `later` runs beside the queue. */
  handle(
    update: Update,
    bot: Pick<BotRow, 'botId' | 'username' | 'name'>,
  ): Promise<Omit<UpdateEffect, 'payment'> & { readonly later: Later | null }>;
  /** The answer to a buyer who is about to pay: parameters of answerPreCheckoutQuery. */
  answerCheckout(query: PreCheckoutQuery): Readonly<Record<string, unknown>>;
}

/** Reads what an update says of its chat: the language, what was asked there, and whether it can be written to. */
function readChat(
  { core, clock, getChat }: Pick<ChatScreens, 'core' | 'getChat'> & Pick<ChatParts, 'clock'>,
  ctx: ChatContext,
): void {
  // Telegram shows a pressed button as busy until this arrives.
  if (ctx.callbackQuery) sendMessage(ctx, 'answerCallbackQuery', { callback_query_id: ctx.callbackQuery.id });
  const chat = ctx.chat?.type === 'private' ? getChat(ctx.chat.id) : null;
  const { language } = core.settings();
  ctx.language = chooseLanguage([chat?.language ?? null, ctx.from?.language_code ?? null, language]);
  const languageCode = ctx.from?.language_code?.slice(0, 35) ?? '';
  const member = ctx.myChatMember?.new_chat_member.status;
  // A person who writes can be written to again.
  const isBack = ctx.message !== undefined || member === 'member';
  if (chat !== null) {
    const toldLanguage = languageCode.length >= 2 ? languageCode : chat.toldLanguage;
    const unreachableAt = member === 'kicked' ? clock.now() : isBack ? null : chat.unreachableAt;
    // Anything but the answer ends the question.
    ctx.prompt = chat.prompt;
    const isNews = toldLanguage !== chat.toldLanguage || unreachableAt !== chat.unreachableAt;
    if (isNews || chat.prompt !== null) ctx.chats.push({ ...chat, toldLanguage, unreachableAt, prompt: null });
  }
}

export function createChat(parts: ChatParts): Chat {
  const { core, botService, clock } = parts;
  const screens = createChatScreens(parts);
  const composer = new Composer<ChatContext>();
  composer.use((ctx, next: NextFunction) => {
    readChat({ core, clock, getChat: screens.getChat }, ctx);
    return next();
  });
  // After the middleware for every update: a composer runs its parts in the order in which they were added.
  const privately = composer.chatType('private');
  for (const route of listCommands(screens)) privately.command(route.pattern, (ctx) => runRoute(route, screens, ctx));
  privately.on('message', async (ctx) => {
    // Service messages, about a payment or a pinned message, need no answer.
    const { text } = ctx.message;
    const admin = screens.findAdmin(ctx);
    if (text === undefined) return;
    const answer = answerPrompt(screens, ctx, text);
    if (answer !== null) show(ctx, await answer);
    else show(ctx, admin === undefined ? screens.users.home(ctx) : screens.adminUsers.find(ctx, admin, text));
  });
  for (const route of listButtons(screens))
    privately.callbackQuery(route.pattern, (ctx) => runRoute(route, screens, ctx));

  const middleware = composer.middleware();
  return {
    async handle(update, { botId, username, name }) {
      const me = { id: botId, is_bot: true, first_name: name, username } as UserFromGetMe;
      const ctx = new ChatContext(update, NO_API, me);
      await middleware(ctx, async () => {});
      return { messages: ctx.messages, chats: ctx.chats, later: ctx.later };
    },
    answerCheckout(query) {
      const { from, invoice_payload: token, total_amount: amount, currency } = query;
      const refusal = botService.findCheckoutRefusal({ token, paid: { amount, currency } });
      if (refusal === null) return { ok: true };
      const chosen = botService.store.chat(from.id)?.language ?? null;
      const t = hostTexts(chooseLanguage([chosen, from.language_code ?? null, core.settings().language]), 'bot');
      return { ok: false, error_message: t(`checkout.${refusal}`) };
    },
  };
}
