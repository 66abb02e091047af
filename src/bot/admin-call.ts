// Shared by the administrator's screens: calls of the core in the name of a Telegram account, and actions that a button confirms once,
// within some minutes.
import type { Core } from '../core/kernel/core.ts';
import { PanelError } from '../core/kernel/panel-error.ts';
import type { AdminRow, BotService } from '../core/ports/bot.ts';
import type { Call } from '../core/ports/call.ts';
import type { Clock } from '../core/ports/ports.ts';
import { button, type ChatContext, getTexts, type Screen } from './screen.ts';

/** An older confirmation is not accepted; it is shown again instead. */
const CONFIRM_MS = 15 * 60_000;

export interface AdminParts {
  readonly core: Pick<Core, 'call' | 'settings'>;
  readonly botService: Pick<BotService, 'hasSecondFactor' | 'prove'>;
  readonly clock: Clock;
}

/** `once`: the idempotency key's part that is the same for a repeated action. */
export function buildCall(ctx: ChatContext, { telegramId: id, name }: AdminRow, once?: string): Call {
  const actor = { kind: 'bot', id, name, access: 'full' } as const;
  const call = { actor, requestId: `telegram-${ctx.update.update_id}`, address: null };
  return once === undefined ? call : { ...call, idempotency: { scope: 'telegram', key: once, fingerprint: once } };
}

/** The time of a confirmation, for the data of its button: seconds in base 36. */
export function encodeTimestamp(now: number): string {
  return Math.floor(now / 1000).toString(36);
}

/** A stamp in the future is forged, or from before the clock was set back. */
export function isConfirmable(stamp: string, now: number): boolean {
  const age = now - Number.parseInt(stamp, 36) * 1000;
  return age >= 0 && age <= CONFIRM_MS;
}

/** A screen that asks for confirmation, with what must be done before it is possible. */
export function withProofHint(
  ctx: ChatContext,
  { botService }: Pick<AdminParts, 'botService'>,
  screen: Screen,
): Screen {
  const hint = getTexts(ctx)(botService.hasSecondFactor() ? 'admin.proof.needed' : 'admin.proof.noFactor');
  return { ...screen, text: `${hint}\n\n${screen.text}` };
}

export function isProofMissing(error: unknown): boolean {
  return error instanceof PanelError && error.code === 'proof_required';
}

/** A screen with the reason of a refused action; throws other errors. */
export function refusalScreen(ctx: ChatContext, error: unknown): Screen {
  if (!(error instanceof PanelError)) throw error;
  const t = getTexts(ctx);
  return { text: t('admin.failed', { code: error.code }), buttons: [[button(t('buttons.back'), 'admin')]] };
}
