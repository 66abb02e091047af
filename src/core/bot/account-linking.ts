// Ties a Telegram account to a user: by a link that works once, never by a name, as names at Telegram can be changed and taken over.
import { DAY_MS } from '../../domain/limits.ts';
import type { Transaction } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import { tokenOf } from '../kernel/wire.ts';
import { findRunningBot } from '../notify/active-bot.ts';
import { type Invitation, type InvitationRow, LINK_PREFIX, type LinkOutcome } from '../ports/bot.ts';
import { USER_HANDLERS } from '../users/users.ts';

const TOKEN_BYTES = 24;
/** Who has the page in front of them presses at once; what the administrator sends is read later. */
const LIFE_MS: Readonly<Record<InvitationRow['purpose'], number>> = {
  page: 15 * 60_000,
  record: DAY_MS,
  admin: 15 * 60_000,
};

/** Makes a link in place of the one before it. PanelError `bot_off`. */
export function invite(
  tx: Transaction,
  userId: number | null,
  purpose: InvitationRow['purpose'],
  prefix = LINK_PREFIX,
): Invitation {
  const { store, crypto, now } = tx;
  const bot = findRunningBot(tx);
  if (!bot) throw new PanelError('bot_off');
  const token = tokenOf(crypto.randomBytes(TOKEN_BYTES));
  const expiresAt = now + LIFE_MS[purpose];
  store.bot.invite({ tokenHash: crypto.sha256(token), purpose, userId, expiresAt });
  const payload = `${prefix}${token}`;
  return { url: `https://t.me/${bot.username}?start=${payload}`, payload, expiresAt };
}

/** Uses a link up, unless something stands against it. */
export function linkAccount(tx: Transaction, token: string, telegramId: number): LinkOutcome {
  const { store, crypto, now } = tx;
  const found = store.bot.invitation(crypto.sha256(token));
  const userId = found && found.expiresAt > now ? found.userId : null;
  const user = userId === null ? undefined : store.users.get(userId);
  if (!found || !user) return 'ended';
  const owner = store.users.byTelegramId(telegramId);
  if (owner && owner.id !== user.id) return 'taken';
  // Who has got hold of the subscription link must not take the user's place.
  if (found.purpose === 'page' && user.telegramId !== null && user.telegramId !== telegramId) return 'other';
  store.bot.endInvitation(found.tokenHash);
  if (user.telegramId !== telegramId) USER_HANDLERS.updateUser.write({ id: user.id, telegram_id: telegramId }, tx);
  return 'tied';
}
