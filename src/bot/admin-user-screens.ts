// Users in the administrator's chat: found, shown, changed and invited; and requests for access, which are accepted or declined.
import type { User } from '../contract/users/users.ts';
import { PanelError } from '../core/kernel/panel-error.ts';
import type { AdminRow } from '../core/ports/bot.ts';
import type { Call } from '../core/ports/call.ts';
import { formatBytes } from '../i18n/bytes.ts';
import { hostTexts } from '../i18n/host.ts';
import { languageEntry } from '../i18n/languages.ts';
import { formatDay } from '../subscription/format-day.ts';
import { type AdminParts, buildCall, encodeTimestamp, isConfirmable, refusalScreen } from './admin-call.ts';
import { button, type ChatContext, escapeHtml, getTexts, type Screen } from './screen.ts';

const MAX_FOUND = 8;
const MAX_SEARCHED = 100;
const DAYS = [1, 3, 7, 14, 30, 90, 180, 365] as const;
const GIGABYTES = [1, 5, 10, 20, 50, 100] as const;
const GB = 1_000_000_000;
/** `extend` takes days, `grant` gigabytes, the others no amount. */
const ACTS = ['extend', 'grant', 'disable', 'enable', 'link'] as const;
type AdminAct = (typeof ACTS)[number];

export interface AdminUserScreens {
  /** The user with the name in a text, or the users that match it. */
  find(ctx: ChatContext, admin: AdminRow, text: string): Screen;
  user(ctx: ChatContext, admin: AdminRow, id: number): Screen;
  /** Asks for the amount, or for confirmation. `amount` 0: none yet. */
  ask(ctx: ChatContext, admin: AdminRow, act: string, id: number, amount: number): Screen;
  /** Carries out what was confirmed. `stamp`: when confirmation was asked for, seconds in base 36. */
  act(ctx: ChatContext, admin: AdminRow, act: string, id: number, amount: number, stamp: string): Promise<Screen>;
  /** Accepts a request for access with a plan; `planId` null: declines it. */
  decide(ctx: ChatContext, admin: AdminRow, telegramId: number, planId: number | null): Promise<Screen>;
  /** A link that links the Telegram account of the person who opens it to the user. */
  invite(ctx: ChatContext, admin: AdminRow, id: number): Promise<Screen>;
}

function getStateIcon(state: User['state']): string {
  if (state === 'active' || state === 'on_hold') return '🟢';
  return state === 'limited' ? '🟠' : '🔴';
}

function amountText(ctx: ChatContext, act: AdminAct, amount: number): string {
  if (act === 'grant') return formatBytes(amount * GB, ctx.language);
  const { tag } = languageEntry(ctx.language);
  return new Intl.NumberFormat(tag, { style: 'unit', unit: 'day', unitDisplay: 'long' }).format(amount);
}

function formatTerm(ctx: ChatContext, { expires_at, state }: User, timeZone: string): string {
  const page = hostTexts(ctx.language, 'subscription');
  if (expires_at === null) return page(state === 'on_hold' ? 'page.startsLater' : 'page.never');
  return formatDay(Date.parse(expires_at), ctx.language, timeZone);
}

export function createAdminUserScreens({ core, clock }: AdminParts): AdminUserScreens {
  function find(ctx: ChatContext, admin: AdminRow, text: string): Screen {
    const t = getTexts(ctx);
    const call = buildCall(ctx, admin);
    const named = core.call('identify', { text }, call).body.user;
    if (named !== null) return user(ctx, admin, named.id);
    const q = text.slice(0, MAX_SEARCHED);
    const { items, total } = core.call('listUsers', { q, limit: MAX_FOUND, offset: 0, sort: 'name' }, call).body;
    const [only] = items;
    if (only && items.length === 1) return user(ctx, admin, only.id);
    const back = [button(t('buttons.back'), 'admin')];
    if (!only) return { text: t('admin.notFound'), buttons: [back] };
    const found = items.map(({ id, name, state }) => [button(`${getStateIcon(state)} ${name} · ${id}`, `user:${id}`)]);
    return { text: t('admin.found', { shown: items.length, total }), buttons: [...found, back] };
  }

  function user(ctx: ChatContext, admin: AdminRow, id: number, notice?: string): Screen {
    const t = getTexts(ctx);
    const found = findUser(ctx, admin, id);
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
      `${getStateIcon(found.state)} ${page(`page.state.${found.state}`)}`,
      `<b>${t('term')}:</b> ${formatTerm(ctx, found, core.settings().timeZone)}`,
      `<b>${t('traffic')}:</b> ${traffic}`,
      ...(found.contact === '' ? [] : [escapeHtml(found.contact)]),
      t(found.telegram_id === null ? 'admin.unlinked' : 'admin.linked'),
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

  function findUser(ctx: ChatContext, admin: AdminRow, id: number): User | null {
    try {
      return core.call('getUser', { id }, buildCall(ctx, admin)).body;
    } catch (error) {
      if (error instanceof PanelError && error.code === 'not_found') return null;
      throw error;
    }
  }

  function ask(ctx: ChatContext, admin: AdminRow, name: string, id: number, amount: number): Screen {
    const t = getTexts(ctx);
    const act = ACTS.find((one) => one === name);
    const found = findUser(ctx, admin, id);
    if (act === undefined || found === null) return user(ctx, admin, id);
    const back = [button(t('buttons.back'), `user:${id}`)];
    if (amount === 0 && (act === 'extend' || act === 'grant')) {
      const amounts = act === 'extend' ? DAYS : GIGABYTES;
      const all = amounts.map((one) => button(amountText(ctx, act, one), `ask:${act}:${id}:${one}`));
      const rows = [all.slice(0, 4), all.slice(4)];
      return { text: escapeHtml(t(`admin.much.${act}`, { name: found.name })), buttons: [...rows, back] };
    }
    const values = { name: found.name, amount: amountText(ctx, act, amount) };
    const stamp = encodeTimestamp(clock.now());
    const confirmButton = button(t('admin.confirm'), `do:${act}:${id}:${amount}:${stamp}`);
    return { text: escapeHtml(t(`admin.sure.${act}`, values)), buttons: [[confirmButton], back] };
  }

  async function act(
    ctx: ChatContext,
    admin: AdminRow,
    name: string,
    id: number,
    amount: number,
    stamp: string,
  ): Promise<Screen> {
    const t = getTexts(ctx);
    const chosen = ACTS.find((one) => one === name);
    if (chosen === undefined || !isConfirmable(stamp, clock.now())) return ask(ctx, admin, name, id, amount);
    const call = buildCall(ctx, admin, `${admin.telegramId}:${name}:${id}:${amount}:${stamp}`);
    try {
      await executeAct(chosen, id, amount, call);
      return user(ctx, admin, id, t(`admin.done.${chosen}`));
    } catch (error) {
      if (!(error instanceof PanelError)) throw error;
      const text = error.code === 'term_unlimited' ? t('admin.endless') : t('admin.failed', { code: error.code });
      return user(ctx, admin, id, text);
    }
  }

  async function executeAct(act: AdminAct, id: number, amount: number, call: Call): Promise<void> {
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

  async function invite(ctx: ChatContext, admin: AdminRow, id: number): Promise<Screen> {
    const t = getTexts(ctx);
    const back = [button(t('buttons.back'), `user:${id}`)];
    try {
      const { url } = (await core.call('inviteToBot', { user_id: id }, buildCall(ctx, admin))).body;
      const share = `https://t.me/share/url?url=${encodeURIComponent(url)}`;
      const buttons = [[{ text: t('admin.share'), url: share }], back];
      return { text: `${t('admin.inviteHint')}\n\n<code>${escapeHtml(url)}</code>`, buttons };
    } catch (error) {
      if (!(error instanceof PanelError)) throw error;
      return user(ctx, admin, id, t('admin.failed', { code: error.code }));
    }
  }

  async function decide(ctx: ChatContext, admin: AdminRow, telegramId: number, planId: number | null): Promise<Screen> {
    const t = getTexts(ctx);
    const call = buildCall(ctx, admin);
    try {
      const input = { telegram_id: telegramId, tariff_id: planId };
      const { user_id: id } = (await core.call('decideBotRequest', input, call)).body;
      if (id === null) return { text: t('admin.request.refused'), buttons: [[button(t('buttons.back'), 'admin')]] };
      else return user(ctx, admin, id, t('admin.request.accepted'));
    } catch (error) {
      if (error instanceof PanelError && error.code === 'not_found')
        return { text: t('admin.request.over'), buttons: [[button(t('buttons.back'), 'admin')]] };
      else return refusalScreen(ctx, error);
    }
  }

  return { find, user, ask, act, invite, decide };
}
