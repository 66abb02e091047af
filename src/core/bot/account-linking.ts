// Links a Telegram account to a user by a one-time link, never by a name, since Telegram names can change and be taken over.
import { DAY_MS } from '../../domain/limits.ts';
import type { Transaction } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import { tokenOf } from '../kernel/wire.ts';
import { findRunningBot } from '../notify/active-bot.ts';
import { type Invitation, type InvitationRow, LINK_PREFIX, type LinkOutcome } from '../ports/bot.ts';
import { USER_HANDLERS } from '../users/users.ts';

const TOKEN_BYTES = 24;
/** The user opens a link from the page at once; links from the administrator are read later. */
const LIFE_MS: Readonly<Record<InvitationRow['purpose'], number>> = {
  page: 15 * 60_000,
  record: DAY_MS,
  admin: 15 * 60_000,
};

/** Creates a link and replaces the previous one. PanelError `bot_off`. */
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

/** Uses up a link, unless linking is refused. */
export function linkAccount(tx: Transaction, token: string, telegramId: number): LinkOutcome {
  const { store, crypto, now } = tx;
  const found = store.bot.invitation(crypto.sha256(token));
  const userId = found && found.expiresAt > now ? found.userId : null;
  const user = userId === null ? undefined : store.users.get(userId);
  if (!found || !user) return 'ended';
  const owner = store.users.byTelegramId(telegramId);
  if (owner && owner.id !== user.id) return 'taken';
  // A leaked subscription link must not be enough to link another account.
  if (found.purpose === 'page' && user.telegramId !== null && user.telegramId !== telegramId) return 'other';
  store.bot.endInvitation(found.tokenHash);
  if (user.telegramId !== telegramId) USER_HANDLERS.updateUser.write({ id: user.id, telegram_id: telegramId }, tx);
  return 'linked';
}
