// People who open the bot by a link: a user's own link, a referral link, or one that pairs another account of the administrator; others can
// request access.
import type { User } from 'grammy/types';
import type { BotService, Writer } from '../core/ports/bot.ts';
import { languageEntry } from '../i18n/languages.ts';
import { button, type ChatContext, escapeHtml, getTexts, type Screen } from './screen.ts';
import type { UserScreens } from './user-screens.ts';

export interface StartParts {
  readonly botService: Pick<BotService, 'store' | 'linkAccount' | 'pair' | 'friendLink' | 'refer' | 'requestAccess'>;
  readonly users: Pick<UserScreens, 'home' | 'findSubscription'>;
  /** The first screen of the account that writes. */
  main(ctx: ChatContext): Screen;
}

export interface StartScreens {
  /** Asks the administrator for access. */
  requestAccess(ctx: ChatContext): Promise<Screen>;
  handleLinkStart(ctx: ChatContext, token: string): Promise<Screen>;
  /** Handles a referral link, opened by an account without a user. */
  referred(ctx: ChatContext, code: string): Promise<Screen>;
  /** The user's referral link, and its results. */
  friends(ctx: ChatContext): Promise<Screen>;
  paired(ctx: ChatContext, token: string): Promise<Screen>;
}

/** The account that writes, as Telegram shows it; it is identified by its id. */
function toWriter({ id, first_name, last_name, username }: User): Writer {
  const name = [first_name, last_name].filter((part) => part !== undefined && part !== '').join(' ');
  return { id, name: username === undefined ? name : `${name} (@${username})` };
}

export function createStartScreens({ botService, users, main }: StartParts): StartScreens {
  async function requestAccess(ctx: ChatContext): Promise<Screen> {
    const t = getTexts(ctx);
    const outcome = ctx.from === undefined ? 'off' : await botService.requestAccess(toWriter(ctx.from));
    if (outcome === 'known' || outcome === 'off') return users.home(ctx);
    return { text: t(`access.${outcome}`), buttons: [[button(t('buttons.language'), 'languages')]] };
  }

  async function handleLinkStart(ctx: ChatContext, token: string): Promise<Screen> {
    const t = getTexts(ctx);
    const outcome = ctx.from === undefined ? 'ended' : await botService.linkAccount(token, ctx.from.id);
    const screen = users.home(ctx);
    // A repeated link that worked before shows the same screen.
    if (outcome === 'linked' || (outcome === 'ended' && users.findSubscription(ctx) !== null)) return screen;
    return { text: `${t(`linking.${outcome}`)}\n\n${screen.text}`, buttons: screen.buttons };
  }

  async function referred(ctx: ChatContext, code: string): Promise<Screen> {
    const isNew = ctx.from !== undefined && (await botService.refer(code, ctx.from.id));
    const { text, buttons } = main(ctx);
    return isNew ? { text: `${getTexts(ctx)('friends.came')}\n\n${text}`, buttons } : { text, buttons };
  }

  async function friends(ctx: ChatContext): Promise<Screen> {
    const sub = users.findSubscription(ctx);
    const found = sub === null ? null : await botService.friendLink(sub.user.token);
    if (found === null) return main(ctx);
    const t = getTexts(ctx);
    const { url, opened, rewarded } = found;
    const days = new Intl.NumberFormat(languageEntry(ctx.language).tag, {
      style: 'unit',
      unit: 'day',
      unitDisplay: 'long',
    });
    const text = [
      `<b>${t('friends.title')}</b>`,
      t('friends.rule', { own: days.format(found.referrerDays), friend: days.format(found.friendDays) }),
      `<code>${escapeHtml(url)}</code>`,
      t('friends.figures', { opened, rewarded }),
    ];
    const share = `https://t.me/share/url?url=${encodeURIComponent(url)}`;
    return {
      text: text.join('\n\n'),
      buttons: [[{ text: t('friends.share'), url: share }], [button(t('buttons.back'), 'home')]],
    };
  }

  async function paired(ctx: ChatContext, token: string): Promise<Screen> {
    const t = getTexts(ctx);
    const isPaired = ctx.from !== undefined && (await botService.pair(token, toWriter(ctx.from)));
    // A repeated link that worked before shows the same screen.
    const isAdmin = isPaired || (ctx.from !== undefined && botService.store.admin(ctx.from.id) !== undefined);
    if (!isAdmin) return { text: t('admin.pairEnded'), buttons: [] };
    const { text, buttons } = main(ctx);
    return { text: `${t('admin.paired')}\n\n${text}`, buttons };
  }

  return { requestAccess, handleLinkStart, referred, friends, paired };
}
