// What the administrator does in the chat: figures, and users who are found and changed. Each act is confirmed by a button of its own, which works for
// a while, once, and goes through the operations of the core like any other.
import type { User } from '../contract/users/users.ts';
import type { Call } from '../core/call.ts';
import type { Core } from '../core/core.ts';
import { PanelError } from '../core/panel-error.ts';
import type { AdminRow } from '../core/ports/bot.ts';
import type { Clock } from '../core/ports/ports.ts';
import { formatMoney } from '../domain/sales/money.ts';
import { formatBytes } from '../i18n/bytes.ts';
import { hostTexts } from '../i18n/host.ts';
import { languageEntry } from '../i18n/languages.ts';
import { formatDay } from '../subscription/entries.ts';

import { button, type ChatContext, escapeHtml, type Screen, show } from './screen.ts';

const MOST_FOUND = 8;
const MOST_SEARCHED = 100;
const DAYS = [1, 3, 7, 14, 30, 90, 180, 365] as const;
const GIGABYTES = [1, 5, 10, 20, 50, 100] as const;
const GB = 1_000_000_000;
/** What was to be confirmed long ago is shown again instead. */
const CONFIRM_MS = 15 * 60_000;

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
    return { text: lines.join('\n'), buttons: [[button(t('buttons.refresh'), 'admin'), ...own]] };
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

  return { overview, find, user, ask, act, invite };
}
