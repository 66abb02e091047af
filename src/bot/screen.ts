// The content of a chat's screen, and the context of its parts: messages are collected, not sent.

import type { InlineKeyboardButton } from 'grammy/types';
import { Context } from 'grammy/web';
import { type ChatRow, type NewMessage, PRIORITIES } from '../core/ports/bot.ts';
import { hostTexts } from '../i18n/host.ts';
import { LANGUAGES, type Language } from '../i18n/languages.ts';

export interface Screen {
  /** HTML in Telegram's subset. */
  readonly text: string;
  readonly buttons: readonly (readonly InlineKeyboardButton[])[];
}

/** Work that runs beside the queue of updates, as a provider may take its time; resolves with the messages to send. */
export type Later = () => Promise<readonly NewMessage[]>;

export class ChatContext extends Context {
  readonly messages: NewMessage[] = [];
  readonly chats: ChatRow[] = [];
  later: Later | null = null;
  /** The data of the button whose question the message answers. */
  prompt: string | null = null;
  language: Language = LANGUAGES[0].code;
}

export const getTexts = ({ language }: ChatContext) => hostTexts(language, 'bot');

/** Escapes text for Telegram's HTML. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

export function button(text: string, data: string): InlineKeyboardButton {
  return { text, callback_data: data };
}

/** Whether Telegram accepts the URL for a button. */
export function isPublicUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.hostname.includes('.') && !/^127\./.test(url.hostname);
}

/** A message to the chat of an update; null: the update has no chat. */
export function buildMessage(ctx: ChatContext, method: string, payload: NewMessage['payload']): NewMessage | null {
  const chatId = ctx.chat?.id;
  return chatId === undefined ? null : { chatId, dedupeKey: null, method, payload, priority: PRIORITIES.answer };
}

/** Shows a screen as a new message, or in place of the message whose button was pressed. */
export function buildScreenMessage(ctx: ChatContext, { text, buttons }: Screen): NewMessage | null {
  const payload = {
    text,
    parse_mode: 'HTML',
    link_preview_options: { is_disabled: true },
    reply_markup: { inline_keyboard: buttons },
  };
  const edited = ctx.callbackQuery?.message?.message_id;
  return edited === undefined
    ? buildMessage(ctx, 'sendMessage', { ...payload, protect_content: true })
    : buildMessage(ctx, 'editMessageText', { ...payload, message_id: edited });
}

export function sendMessage(ctx: ChatContext, method: string, payload: NewMessage['payload']): void {
  const message = buildMessage(ctx, method, payload);
  if (message) ctx.messages.push(message);
}

export function show(ctx: ChatContext, screen: Screen): void {
  const message = buildScreenMessage(ctx, screen);
  if (message) ctx.messages.push(message);
}
