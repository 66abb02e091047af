// What the administrator does in the chat: figures, users who are found and changed, and messages to many. Each act is confirmed by a button of its own, which works for
// a while, once, and goes through the operations of the core like any other.
import { NOTICE_FIELDS, unknownField } from '../contract/bot/bot-notices.ts';
import { type Broadcast, MOST_BROADCAST } from '../contract/bot/broadcasts.ts';
import type { User, UserFilter } from '../contract/users/users.ts';
import type { Call } from '../core/call.ts';
import type { Core } from '../core/core.ts';
import { PanelError } from '../core/panel-error.ts';
import type { AdminRow } from '../core/ports/bot.ts';
import type { Clock } from '../core/ports/ports.ts';
import { toInstant } from '../core/wire.ts';
import { DAY_MS } from '../domain/limits.ts';
import { formatMoney } from '../domain/sales/money.ts';
import { formatBytes } from '../i18n/bytes.ts';
import { hostTexts } from '../i18n/host.ts';
import { languageEntry } from '../i18n/languages.ts';
import { formatDay } from '../subscription/entries.ts';

import { button, type ChatContext, escapeHtml, messageWith, type Screen, show } from './screen.ts';

const MOST_FOUND = 8;
const MOST_SEARCHED = 100;
const DAYS = [1, 3, 7, 14, 30, 90, 180, 365] as const;
const GIGABYTES = [1, 5, 10, 20, 50, 100] as const;
const GB = 1_000_000_000;
/** What was to be confirmed long ago is shown again instead. */
const CONFIRM_MS = 15 * 60_000;

/** To whom a message to many can go in the chat; `ending`: whose term ends within days. */
const SEGMENTS = ['all', 'active', 'ending', 'limited', 'expired'] as const;
const SOON_MS = 7 * DAY_MS;

/** `extend` has days, `grant` has gigabytes, the others nothing. */
const ACTS = ['extend', 'grant', 'disable', 'enable', 'link'] as const;
type AdminAct = (typeof ACTS)[number];

export interface AdminParts {
  readonly core: Pick<Core, 'call' | 'settings'>;
  readonly clock: Clock;
}

export interface AdminScreens {
  /** Figures of the panel. `hasOwn`: the account has a subscription as well. */
  overview(ctx: ChatContext, admin: AdminRow, hasOwn: boolean): Screen;
  /** The user that a text names, or those who are like it. */
  find(ctx: ChatContext, admin: AdminRow, text: string): Screen;
  user(ctx: ChatContext, admin: AdminRow, id: number): Screen;
  /** Asks for the amount, and before anything is done. `amount` 0: there is none yet. */
  ask(ctx: ChatContext, admin: AdminRow, act: string, id: number, amount: number): Screen;
  /** Does what was confirmed. `stamp`: when that was asked, seconds to the base of 36. */
  act(ctx: ChatContext, admin: AdminRow, act: string, id: number, amount: number, stamp: string): Promise<void>;
  /** Asks before a backup is made. */
  askBackup(ctx: ChatContext): Screen;
  /** Makes a backup by the passphrase of scheduled ones and sends it to the account, once. */
  sendBackup(ctx: ChatContext, admin: AdminRow, stamp: string): Promise<void>;
  /** Lets somebody in who asked for access, with a plan; null: not. */
  decide(ctx: ChatContext, admin: AdminRow, telegramId: number, planId: number | null): Promise<void>;
  /** A message to many that was written: to whom it can go. Empty: how to write one, and how the last one goes. */
  draft(ctx: ChatContext, admin: AdminRow, text: string): Promise<Screen>;
  /** To how many it would go, and the question. */
  askBroadcast(ctx: ChatContext, admin: AdminRow, id: number, segment: string): Screen;
  /** Sends it to the account alone. */
  testBroadcast(ctx: ChatContext, admin: AdminRow, id: number, segment: string): Promise<void>;
  /** Starts it, once; `stamp` as for `act`. */
  startBroadcast(ctx: ChatContext, admin: AdminRow, id: number, segment: string, stamp: string): Promise<void>;
  changeBroadcast(ctx: ChatContext, admin: AdminRow, id: number, act: string): Promise<void>;
  /** A link that ties the account of who opens it to the user. */
  invite(ctx: ChatContext, admin: AdminRow, id: number): Promise<void>;
}

export function createAdminScreens({ core, clock }: AdminParts): AdminScreens {
  const textsOf = (ctx: ChatContext) => hostTexts(ctx.language, 'bot');

  function callOf(ctx: ChatContext, { telegramId: id, name }: AdminRow, once?: string): Call {
    const actor = { kind: 'bot', id, name, access: 'full' } as const;
    const call = { actor, requestId: `telegram-${ctx.update.update_id}`, address: null };
    return once === undefined ? call : { ...call, idempotency: { scope: 'telegram', key: once, fingerprint: once } };
  }

  function overview(ctx: ChatContext, admin: AdminRow, hasOwn: boolean): Screen {
    const t = textsOf(ctx);
    const { language } = ctx;
    const { tag } = languageEntry(language);
    const call = callOf(ctx, admin);
    const { users, traffic, nodes } = core.call('getOverview', {}, call).body;
    const sales = core.call('getSales', { days: 30 }, call).body;
    const waiting = core.call('listAttention', { open: true, limit: 1 }, call).body.total;
    const bytes = ({ up, down }: { readonly up: number; readonly down: number }) => formatBytes(up + down, language);
    const income = sales.income.map((one) => formatMoney(one, tag)).join(', ');
    const lines = [
      `<b>${escapeHtml(core.settings().panelTitle)}</b>`,
      t('admin.users', { total: users.total, active: users.active, online: users.online }),
      t('admin.ending', { count: users.expiring_7d }),
      t('admin.traffic', { today: bytes(traffic.today), month: bytes(traffic.month) }),
      t('admin.nodes', { up: nodes.up, total: nodes.total }),
      ...(income === '' ? [] : [escapeHtml(t('admin.income', { income }))]),
      ...(waiting === 0 ? [] : [t('admin.waiting', { count: waiting })]),
      '',
      t('admin.findHint'),
    ];
    const own = hasOwn ? [button(t('buttons.home'), 'mine')] : [];
    const buttons = [
      [button(t('admin.broadcast.title'), 'broadcast'), button(t('admin.backup.title'), 'backup')],
      [button(t('buttons.refresh'), 'admin'), ...own],
    ];
    return { text: lines.join('\n'), buttons };
  }

  function find(ctx: ChatContext, admin: AdminRow, text: string): Screen {
    const t = textsOf(ctx);
    const call = callOf(ctx, admin);
    const named = core.call('identify', { text }, call).body.user;
    if (named !== null) return user(ctx, admin, named.id);
    const q = text.slice(0, MOST_SEARCHED);
    const { items, total } = core.call('listUsers', { q, limit: MOST_FOUND, offset: 0, sort: 'name' }, call).body;
    const [only] = items;
    if (only && items.length === 1) return user(ctx, admin, only.id);
    const back = [button(t('buttons.back'), 'admin')];
    if (!only) return { text: t('admin.notFound'), buttons: [back] };
    const found = items.map(({ id, name, state }) => [button(`${markOf(state)} ${name} · ${id}`, `user:${id}`)]);
    return { text: t('admin.found', { shown: items.length, total }), buttons: [...found, back] };
  }

  function markOf(state: User['state']): string {
    if (state === 'active' || state === 'on_hold') return '🟢';
    return state === 'limited' ? '🟠' : '🔴';
  }

  function termOf(ctx: ChatContext, { expires_at, state }: User): string {
    const page = hostTexts(ctx.language, 'subscription');
    if (expires_at === null) return page(state === 'on_hold' ? 'page.startsLater' : 'page.never');
    return formatDay(Date.parse(expires_at), ctx.language, core.settings().timeZone);
  }

  function user(ctx: ChatContext, admin: AdminRow, id: number, notice?: string): Screen {
    const t = textsOf(ctx);
    const found = userOf(ctx, admin, id);
    if (found === null) return { text: t('admin.gone'), buttons: [[button(t('buttons.back'), 'admin')]] };
    const page = hostTexts(ctx.language, 'subscription');
    const used = found.used_up + found.used_down;
    const bytes = (count: number) => formatBytes(count, ctx.language);
    const left = found.traffic_remaining;
    const traffic =
      left === null
        ? `${page('page.used', { used: bytes(used) })}, ${page('page.unlimited')}`
        : `${page('page.usedOf', { used: bytes(used), total: bytes(used + left) })}, ${page('page.left', { left: bytes(left) })}`;
    const lines = [
      ...(notice === undefined ? [] : [escapeHtml(notice), '']),
      `<b>${escapeHtml(found.name)}</b> · ${id}`,
      `${markOf(found.state)} ${page(`page.state.${found.state}`)}`,
      `<b>${t('term')}:</b> ${termOf(ctx, found)}`,
      `<b>${t('traffic')}:</b> ${traffic}`,
      ...(found.contact === '' ? [] : [escapeHtml(found.contact)]),
      t(found.telegram_id === null ? 'admin.untied' : 'admin.tied'),
    ];
    const ask = (act: AdminAct) => button(t(`admin.act.${act}`), `ask:${act}:${id}:0`);
    const chat = found.telegram_id === null ? button(t('admin.invite'), `invite:${id}`) : ask('link');
    return {
      text: lines.join('\n'),
      buttons: [
        [ask('extend'), ask('grant')],
        [ask(found.enabled ? 'disable' : 'enable'), chat],
        [button(t('buttons.back'), 'admin')],
      ],
    };
  }

  function userOf(ctx: ChatContext, admin: AdminRow, id: number): User | null {
    try {
      return core.call('getUser', { id }, callOf(ctx, admin)).body;
    } catch (error) {
      if (error instanceof PanelError && error.code === 'not_found') return null;
      throw error;
    }
  }

  function ask(ctx: ChatContext, admin: AdminRow, name: string, id: number, amount: number): Screen {
    const t = textsOf(ctx);
    const act = ACTS.find((one) => one === name);
    const found = userOf(ctx, admin, id);
    if (act === undefined || found === null) return user(ctx, admin, id);
    const back = [button(t('buttons.back'), `user:${id}`)];
    if (amount === 0 && (act === 'extend' || act === 'grant')) {
      const amounts = act === 'extend' ? DAYS : GIGABYTES;
      const all = amounts.map((one) => button(amountText(ctx, act, one), `ask:${act}:${id}:${one}`));
      const rows = [all.slice(0, 4), all.slice(4)];
      return { text: escapeHtml(t(`admin.much.${act}`, { name: found.name })), buttons: [...rows, back] };
    }
    const values = { name: found.name, amount: amountText(ctx, act, amount) };
    const stamp = Math.floor(clock.now() / 1000).toString(36);
    const yes = button(t('admin.confirm'), `do:${act}:${id}:${amount}:${stamp}`);
    return { text: escapeHtml(t(`admin.sure.${act}`, values)), buttons: [[yes], back] };
  }

  function amountText(ctx: ChatContext, act: AdminAct, amount: number): string {
    if (act === 'grant') return formatBytes(amount * GB, ctx.language);
    const { tag } = languageEntry(ctx.language);
    return new Intl.NumberFormat(tag, { style: 'unit', unit: 'day', unitDisplay: 'long' }).format(amount);
  }

  async function act(
    ctx: ChatContext,
    admin: AdminRow,
    name: string,
    id: number,
    amount: number,
    stamp: string,
  ): Promise<void> {
    const t = textsOf(ctx);
    const chosen = ACTS.find((one) => one === name);
    const age = clock.now() - Number.parseInt(stamp, 36) * 1000;
    if (chosen === undefined || !(age <= CONFIRM_MS)) return show(ctx, ask(ctx, admin, name, id, amount));
    const call = callOf(ctx, admin, `${admin.telegramId}:${name}:${id}:${amount}:${stamp}`);
    try {
      await carryOut(chosen, id, amount, call);
      show(ctx, user(ctx, admin, id, t(`admin.done.${chosen}`)));
    } catch (error) {
      if (!(error instanceof PanelError)) throw error;
      const text = error.code === 'term_unlimited' ? t('admin.endless') : t('admin.failed', { code: error.code });
      show(ctx, user(ctx, admin, id, text));
    }
  }

  async function carryOut(act: AdminAct, id: number, amount: number, call: Call): Promise<void> {
    switch (act) {
      case 'extend':
        await core.call('extendUser', { id, days: amount }, call);
        return;
      case 'grant':
        await core.call('createGrant', { id, bytes: amount * GB, lifetime: 'used', note: '' }, call);
        return;
      case 'link':
        await core.call('sendUserLink', { user_id: id }, call);
        return;
      case 'disable':
      case 'enable':
        await core.call('updateUser', { id, enabled: act === 'enable' }, call);
    }
  }

  async function invite(ctx: ChatContext, admin: AdminRow, id: number): Promise<void> {
    const t = textsOf(ctx);
    const back = [button(t('buttons.back'), `user:${id}`)];
    try {
      const { url } = (await core.call('inviteToBot', { user_id: id }, callOf(ctx, admin))).body;
      const share = `https://t.me/share/url?url=${encodeURIComponent(url)}`;
      const buttons = [[{ text: t('admin.share'), url: share }], back];
      show(ctx, { text: `${t('admin.inviteHint')}\n\n<code>${escapeHtml(url)}</code>`, buttons });
    } catch (error) {
      if (!(error instanceof PanelError)) throw error;
      show(ctx, user(ctx, admin, id, t('admin.failed', { code: error.code })));
    }
  }

  /** As the list of users is filtered. */
  function filterOf(segment: string): UserFilter & { readonly all?: true } {
    const soon = { expires_after: toInstant(clock.now()), expires_before: toInstant(clock.now() + SOON_MS) };
    switch (segment) {
      case 'active':
      case 'expired':
      case 'limited':
        return { state: [segment] };
      case 'ending':
        return soon;
      default:
        return { all: true };
    }
  }

  async function draft(ctx: ChatContext, admin: AdminRow, text: string): Promise<Screen> {
    const t = textsOf(ctx);
    const back = [button(t('buttons.back'), 'admin')];
    if (text === '') {
      const [last] = core.call('listBroadcasts', { limit: 1 }, callOf(ctx, admin)).body.items;
      const fields = NOTICE_FIELDS.map((field) => `{{${field}}}`).join(', ');
      const hint = { text: t('admin.broadcast.hint', { fields }), buttons: [back] };
      return last === undefined ? hint : progress(ctx, last, hint.text);
    }
    if (text.length > MOST_BROADCAST || unknownField(text) !== null)
      return { text: t('admin.broadcast.refused', { most: MOST_BROADCAST }), buttons: [back] };
    const texts = [{ language: ctx.language, text }];
    // An update that is handled again makes the same one.
    const key = `telegram-${admin.telegramId}-${ctx.update.update_id}`;
    const input = { key, texts, filter: { all: true as const }, start: false };
    const { id } = (await core.call('createBroadcast', input, callOf(ctx, admin))).body;
    const segments = SEGMENTS.map((one) => [button(t(`admin.broadcast.to.${one}`), `cast:${id}:${one}`)]);
    return { text: `${escapeHtml(text)}\n\n<b>${t('admin.broadcast.whom')}</b>`, buttons: [...segments, back] };
  }

  function askBroadcast(ctx: ChatContext, admin: AdminRow, id: number, segment: string): Screen {
    const t = textsOf(ctx);
    const chosen = SEGMENTS.find((one) => one === segment) ?? 'all';
    const preview = core.call('previewBroadcast', { filter: filterOf(chosen) }, callOf(ctx, admin)).body;
    const { people, blocked, seconds } = preview;
    const format = new Intl.NumberFormat(languageEntry(ctx.language).tag, {
      style: 'unit',
      unit: 'minute',
      unitDisplay: 'long',
    });
    const time = format.format(Math.max(1, Math.ceil(seconds / 60)));
    const stamp = Math.floor(clock.now() / 1000).toString(36);
    const to = t(`admin.broadcast.to.${chosen}`);
    return {
      text: t('admin.broadcast.sure', { to, people, blocked, time }),
      buttons: [
        [button(t('admin.broadcast.test'), `casttest:${id}:${chosen}`)],
        [button(t('admin.confirm'), `castgo:${id}:${chosen}:${stamp}`)],
        [button(t('buttons.back'), 'broadcast')],
      ],
    };
  }

  async function testBroadcast(ctx: ChatContext, admin: AdminRow, id: number, segment: string): Promise<void> {
    try {
      await core.call('testBroadcast', { id }, callOf(ctx, admin));
      show(ctx, askBroadcast(ctx, admin, id, segment));
    } catch (error) {
      refuse(ctx, error);
    }
  }

  async function startBroadcast(
    ctx: ChatContext,
    admin: AdminRow,
    id: number,
    segment: string,
    stamp: string,
  ): Promise<void> {
    const age = clock.now() - Number.parseInt(stamp, 36) * 1000;
    if (!(age <= CONFIRM_MS)) return show(ctx, askBroadcast(ctx, admin, id, segment));
    try {
      const input = { id, act: 'start', filter: filterOf(segment) } as const;
      show(ctx, progress(ctx, (await core.call('changeBroadcast', input, callOf(ctx, admin))).body));
    } catch (error) {
      refuse(ctx, error);
    }
  }

  async function changeBroadcast(ctx: ChatContext, admin: AdminRow, id: number, name: string): Promise<void> {
    const act = (['pause', 'resume', 'stop'] as const).find((one) => one === name);
    if (act === undefined) return show(ctx, await draft(ctx, admin, ''));
    try {
      show(ctx, progress(ctx, (await core.call('changeBroadcast', { id, act }, callOf(ctx, admin))).body));
    } catch (error) {
      refuse(ctx, error);
    }
  }

  function refuse(ctx: ChatContext, error: unknown): void {
    if (!(error instanceof PanelError)) throw error;
    const t = textsOf(ctx);
    show(ctx, { text: t('admin.failed', { code: error.code }), buttons: [[button(t('buttons.back'), 'admin')]] });
  }

  /** How one goes, and what can be done about it. */
  function progress(ctx: ChatContext, found: Broadcast, before = ''): Screen {
    const t = textsOf(ctx);
    const { id, state, waits, total, sent, blocked, failed } = found;
    const lines = [
      ...(before === '' ? [] : [before, '']),
      `<b>${t('admin.broadcast.number', { id })}</b> · ${t(`admin.broadcast.state.${state}`)}`,
      ...(waits === null ? [] : [t(`admin.broadcast.waits.${waits}`)]),
      t('admin.broadcast.figures', { done: sent + blocked + failed, total, sent, blocked, failed }),
    ];
    const act = (name: 'pause' | 'resume' | 'stop') => button(t(`admin.broadcast.${name}`), `castact:${id}:${name}`);
    const acts =
      state === 'running' ? [act('pause'), act('stop')] : state === 'paused' ? [act('resume'), act('stop')] : [];
    return {
      text: lines.join('\n'),
      buttons: [
        ...(acts.length > 0 ? [acts] : []),
        [button(t('buttons.refresh'), 'broadcast'), button(t('buttons.back'), 'admin')],
      ],
    };
  }

  function askBackup(ctx: ChatContext): Screen {
    const t = textsOf(ctx);
    const stamp = Math.floor(clock.now() / 1000).toString(36);
    const buttons = [[button(t('admin.confirm'), `backup:${stamp}`)], [button(t('buttons.back'), 'admin')]];
    return { text: t('admin.backup.sure'), buttons };
  }

  async function sendBackup(ctx: ChatContext, admin: AdminRow, stamp: string): Promise<void> {
    const t = textsOf(ctx);
    const age = clock.now() - Number.parseInt(stamp, 36) * 1000;
    if (!(age <= CONFIRM_MS)) return show(ctx, askBackup(ctx));
    const back = [[button(t('buttons.back'), 'admin')]];
    // It takes a while: the queue of updates does not wait for it.
    show(ctx, { text: t('admin.backup.begun'), buttons: back });
    const call = callOf(ctx, admin, `${admin.telegramId}:backup:${stamp}`);
    ctx.later = async () => {
      try {
        await core.call('sendBackup', {}, call);
        return [];
      } catch (error) {
        if (!(error instanceof PanelError)) throw error;
        const text = t(error.code === 'validation' ? 'admin.backup.noPassphrase' : 'admin.failed', {
          code: error.code,
        });
        return [messageWith(ctx, { text, buttons: back })].filter((one) => one !== null);
      }
    };
  }

  async function decide(ctx: ChatContext, admin: AdminRow, telegramId: number, planId: number | null): Promise<void> {
    const t = textsOf(ctx);
    const call = callOf(ctx, admin);
    try {
      const input = { telegram_id: telegramId, tariff_id: planId };
      const { user_id: id } = (await core.call('decideBotRequest', input, call)).body;
      if (id === null) show(ctx, { text: t('admin.request.refused'), buttons: [[button(t('buttons.back'), 'admin')]] });
      else show(ctx, user(ctx, admin, id, t('admin.request.accepted')));
    } catch (error) {
      if (error instanceof PanelError && error.code === 'not_found')
        show(ctx, { text: t('admin.request.over'), buttons: [[button(t('buttons.back'), 'admin')]] });
      else refuse(ctx, error);
    }
  }

  return {
    askBackup,
    sendBackup,
    decide,
    overview,
    find,
    user,
    ask,
    act,
    draft,
    askBroadcast,
    testBroadcast,
    startBroadcast,
    changeBroadcast,
    invite,
  };
}
