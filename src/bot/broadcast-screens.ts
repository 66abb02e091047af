// Broadcasts: how the administrator writes, tests, starts and follows them in the chat.
import { NOTICE_FIELDS, unknownField } from '../contract/bot/bot-notices.ts';
import { type Broadcast, MAX_BROADCAST } from '../contract/bot/broadcasts.ts';
import type { UserFilter } from '../contract/users/users.ts';
import { toInstant } from '../core/kernel/wire.ts';
import type { AdminRow } from '../core/ports/bot.ts';
import { DAY_MS } from '../domain/limits.ts';
import { languageEntry } from '../i18n/languages.ts';
import {
  type AdminParts,
  buildCall,
  encodeTimestamp,
  isConfirmable,
  isProofMissing,
  refusalScreen,
  withProofHint,
} from './admin-call.ts';
import { button, type ChatContext, escapeHtml, getTexts, type Screen } from './screen.ts';

const SOON_MS = 7 * DAY_MS;

export type Segment = 'all' | 'active' | 'ending' | 'limited' | 'expired';

/** Audiences of a broadcast in the chat; `ending`: the term ends within days. */
const SEGMENTS: { readonly [Name in Segment]: (now: number) => UserFilter & { readonly all?: true } } = {
  all: () => ({ all: true }),
  active: () => ({ state: ['active'] }),
  ending: (now) => ({ expires_after: toInstant(now), expires_before: toInstant(now + SOON_MS) }),
  limited: () => ({ state: ['limited'] }),
  expired: () => ({ state: ['expired'] }),
};

/** null: no audience has this name. */
export function findSegment(name = ''): Segment | null {
  return Object.hasOwn(SEGMENTS, name) ? (name as Segment) : null;
}

export interface BroadcastScreens {
  /** A new broadcast with its choice of audiences. Empty text: how to write one, and the progress of the last one. */
  draft(ctx: ChatContext, admin: AdminRow, text: string): Promise<Screen>;
  /** The number of people it would be sent to, and the question. */
  askBroadcast(ctx: ChatContext, admin: AdminRow, id: number, segment: Segment): Screen;
  /** Sends it only to the administrator's own account. */
  testBroadcast(ctx: ChatContext, admin: AdminRow, id: number, segment: Segment): Promise<Screen>;
  /** Starts it, once; `stamp` as for `act`. */
  startBroadcast(ctx: ChatContext, admin: AdminRow, id: number, segment: Segment, stamp: string): Promise<Screen>;
  changeBroadcast(ctx: ChatContext, admin: AdminRow, id: number, act: string): Promise<Screen>;
}

/** The progress of a broadcast, and the actions on it. */
function progress(ctx: ChatContext, found: Broadcast, before = ''): Screen {
  const t = getTexts(ctx);
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

export function createBroadcastScreens({ core, botService, clock }: AdminParts): BroadcastScreens {
  async function draft(ctx: ChatContext, admin: AdminRow, text: string): Promise<Screen> {
    const t = getTexts(ctx);
    const back = [button(t('buttons.back'), 'admin')];
    if (text === '') {
      const [last] = core.call('listBroadcasts', { limit: 1 }, buildCall(ctx, admin)).body.items;
      const fields = NOTICE_FIELDS.map((field) => `{{${field}}}`).join(', ');
      const hint = { text: t('admin.broadcast.hint', { fields }), buttons: [back] };
      return last === undefined ? hint : progress(ctx, last, hint.text);
    }
    if (text.length > MAX_BROADCAST || unknownField(text) !== null)
      return { text: t('admin.broadcast.refused', { most: MAX_BROADCAST }), buttons: [back] };
    const texts = [{ language: ctx.language, text }];
    // The same key for an update that is handled again, so that it makes no second broadcast.
    const key = `telegram-${admin.telegramId}-${ctx.update.update_id}`;
    const input = { key, texts, filter: { all: true as const }, start: false };
    const { id } = (await core.call('createBroadcast', input, buildCall(ctx, admin))).body;
    const segments = (Object.keys(SEGMENTS) as Segment[]).map((one) => [
      button(t(`admin.broadcast.to.${one}`), `cast:${id}:${one}`),
    ]);
    return { text: `${escapeHtml(text)}\n\n<b>${t('admin.broadcast.whom')}</b>`, buttons: [...segments, back] };
  }

  function askBroadcast(ctx: ChatContext, admin: AdminRow, id: number, segment: Segment): Screen {
    const t = getTexts(ctx);
    const filter = SEGMENTS[segment](clock.now());
    const preview = core.call('previewBroadcast', { filter }, buildCall(ctx, admin)).body;
    const { people, blocked, seconds } = preview;
    const format = new Intl.NumberFormat(languageEntry(ctx.language).tag, {
      style: 'unit',
      unit: 'minute',
      unitDisplay: 'long',
    });
    const time = format.format(Math.max(1, Math.ceil(seconds / 60)));
    const stamp = encodeTimestamp(clock.now());
    const to = t(`admin.broadcast.to.${segment}`);
    return {
      text: t('admin.broadcast.sure', { to, people, blocked, time }),
      buttons: [
        [button(t('admin.broadcast.test'), `casttest:${id}:${segment}`)],
        [button(t('admin.confirm'), `castgo:${id}:${segment}:${stamp}`)],
        [button(t('buttons.back'), 'broadcast')],
      ],
    };
  }

  async function testBroadcast(ctx: ChatContext, admin: AdminRow, id: number, segment: Segment): Promise<Screen> {
    try {
      await core.call('testBroadcast', { id }, buildCall(ctx, admin));
      return askBroadcast(ctx, admin, id, segment);
    } catch (error) {
      return refusalScreen(ctx, error);
    }
  }

  async function startBroadcast(
    ctx: ChatContext,
    admin: AdminRow,
    id: number,
    segment: Segment,
    stamp: string,
  ): Promise<Screen> {
    if (!isConfirmable(stamp, clock.now())) return askBroadcast(ctx, admin, id, segment);
    try {
      const input = { id, act: 'start', filter: SEGMENTS[segment](clock.now()) } as const;
      return progress(ctx, (await core.call('changeBroadcast', input, buildCall(ctx, admin))).body);
    } catch (error) {
      if (isProofMissing(error)) return withProofHint(ctx, { botService }, askBroadcast(ctx, admin, id, segment));
      return refusalScreen(ctx, error);
    }
  }

  async function changeBroadcast(ctx: ChatContext, admin: AdminRow, id: number, name: string): Promise<Screen> {
    const act = (['pause', 'resume', 'stop'] as const).find((one) => one === name);
    if (act === undefined) return await draft(ctx, admin, '');
    try {
      return progress(ctx, (await core.call('changeBroadcast', { id, act }, buildCall(ctx, admin))).body);
    } catch (error) {
      return refusalScreen(ctx, error);
    }
  }

  return { draft, askBroadcast, testBroadcast, startBroadcast, changeBroadcast };
}
