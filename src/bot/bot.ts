// The running bot: a poller, a sender, and the handling of updates. It follows the panel's settings of the bot.

import type { Update } from 'grammy/types';
import type { Core } from '../core/kernel/core.ts';
import {
  type BotClient,
  type BotLink,
  type MiniApp,
  newChat,
  type RunningBot,
  type UpdateRow,
} from '../core/ports/bot.ts';
import type { Clock, Log, Timers } from '../core/ports/ports.ts';
import { parseOwnJson } from '../domain/own-json.ts';
import { hostTexts } from '../i18n/host.ts';
import type { Chat } from './chat.ts';
import type { ChatParts } from './chat-routes.ts';
import { parsePayment } from './payments.ts';
import { type Poller, startPoller } from './poller.ts';
import type { Later } from './screen.ts';
import { type Sender, startSender } from './sender.ts';

const CHECK_EVERY_MS = 1000;
const PRUNE_EVERY_MS = 3_600_000;
/** Delay before an update whose handling failed is tried again, and the attempts after which it is given up. */
const RETRY_MS = 5000;
const MAX_FAILURES = 10;
const MENU_MS = 10_000;
const MENU_RETRY_MS = 60_000;

export interface BotParts {
  readonly core: Pick<Core, 'bot'> & ChatParts['core'];
  readonly client: BotClient;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** Left out: there is no Mini App. */
  readonly miniApp?: MiniApp;
}

export interface BotRunner {
  stop(): Promise<void>;
}

interface Running {
  readonly bot: RunningBot;
  readonly link: BotLink;
  readonly poller: Poller;
  readonly sender: Sender;
  /** URL of the menu button beside the message field; null: none; undefined: not sent to Telegram yet. */
  menu: string | null | undefined;
  /** The menu button is not sent before this time. */
  menuAt: number;
}

export function startBot({ core, client, clock, timers, log, miniApp }: BotParts): BotRunner {
  const botService = core.bot;
  /** Loaded when the first bot runs. */
  let chat: Chat | null = null;
  let running: Running | null = null;
  let isStopped = false;
  let following: Promise<void> | null = null;
  let handling: Promise<void> | null = null;
  let mayHaveMore = false;

  async function begin(bot: RunningBot): Promise<Running> {
    const present = chat ?? (await import('./chat.ts')).createChat({ core, botService, clock, miniApp });
    chat = present;
    const link = client.connect(bot);
    const parts = { link, botService, clock, timers, log };
    const unreachable = (chatId: number) => {
      botService.start('bot: marking a chat', () =>
        botService.write((store, now) => {
          store.saveChat({ ...(store.chat(chatId) ?? newChat(chatId)), unreachableAt: now });
        }),
      );
    };
    const poller = startPoller({ ...parts, bot, checkout: present.answerCheckout, onReceived: handleAll });
    return { bot, link, poller, sender: startSender({ ...parts, unreachable }), menu: undefined, menuAt: 0 };
  }

  /** Stops and starts parts as the settings demand. */
  async function follow(): Promise<void> {
    for (;;) {
      const wanted = isStopped ? null : botService.bot();
      if (wanted === (running?.bot ?? null)) return;
      const former = running;
      running = null;
      if (former) {
        former.link.close();
        await former.poller.stop();
        await former.sender.stop();
      }
      if (!wanted || isStopped) continue;
      log.info('bot started', { account: wanted.row.username });
      running = await begin(wanted);
      handleAll();
    }
  }

  /** Makes Telegram offer the Mini App if it can be opened, and hide it otherwise. */
  function followMenu(): void {
    const url = miniApp?.url() ?? null;
    const now = clock.now();
    if (!miniApp || !running || isStopped || running.menu === url || running.menuAt > now) return;
    const present = running;
    present.menuAt = now + MENU_RETRY_MS;
    const text = hostTexts(core.settings().language, 'bot')('buttons.menu');
    const menu_button = url === null ? { type: 'default' } : { type: 'web_app', text, web_app: { url } };
    botService.start('bot: menu button', async () => {
      const outcome = await present.link.call('setChatMenuButton', { menu_button }, MENU_MS);
      if ('error' in outcome) return;
      present.menu = url;
      present.menuAt = 0;
    });
  }

  function wake(): void {
    followMenu();
    following ??= follow()
      .catch((error: unknown) => log.error('bot failed', { error: String(error) }))
      .finally(() => {
        following = null;
      });
    running?.sender.wake();
    handleAll();
  }

  /** Handles the queued updates, one after the other. */
  function handleAll(): void {
    mayHaveMore = true;
    if (handling || !running || isStopped) return;
    handling = (async () => {
      while (mayHaveMore && running && !isStopped) {
        mayHaveMore = false;
        const update = botService.store.nextUpdate(clock.now());
        if (!update) return;
        mayHaveMore = true;
        await handle(update, running.bot);
        running?.sender.wake();
      }
    })()
      .catch((error: unknown) => log.error('bot: updates not handled', { error: String(error) }))
      .finally(() => {
        handling = null;
      });
  }

  /** Runs beside the queue: a provider that hangs delays only its own buyers. */
  function doLater(later: Later): void {
    botService.start('bot: answer', async () => {
      const messages = await later();
      if (messages.length === 0 || isStopped) return;
      await botService.write((store, now) => {
        for (const message of messages) store.enqueue(message, now);
      });
    });
  }

  async function handle(row: UpdateRow, { row: account }: RunningBot): Promise<void> {
    if (!chat) return;
    const update: Update = parseOwnJson(row.body);
    const payment = parsePayment(update);
    try {
      const { messages, chats, later } = await chat.handle(update, account);
      await botService.finish(row, { messages, chats, payment });
      if (later) doLater(later);
    } catch (error) {
      log.error('bot: update not handled', { update: row.id, error: String(error) });
      await botService.write((store, now) => {
        // An update about money is tried forever.
        if (payment === null && row.failures + 1 >= MAX_FAILURES) store.finishUpdate(row.id, now);
        else store.failUpdate(row.id, now + RETRY_MS * Math.min(MAX_FAILURES, row.failures + 1));
      });
    }
  }

  const ends = [
    botService.onChange(wake),
    timers.every(CHECK_EVERY_MS, wake),
    timers.every(PRUNE_EVERY_MS, () => {
      botService.start('bot: pruning', botService.prune);
    }),
  ];
  wake();
  return {
    async stop() {
      isStopped = true;
      for (const end of ends) end();
      await following;
      await follow();
      await handling;
    },
  };
}
