// Opens the sealed token of the Telegram bot and its API settings.
import type { Env } from '../kernel/context.ts';
import type { BotAccess, BotRow } from '../ports/bot.ts';

export const TOKEN_PLACE = 'bot:token';
export const PROXY_PLACE = 'bot:proxy';

/** The token and API settings; null: the secrets are missing, for example after a restore without them. PanelError `vault_unavailable`. */
export function openAccess(
  { store, vault, hideSecret }: Pick<Env, 'store' | 'vault' | 'hideSecret'>,
  row: BotRow,
): BotAccess | null {
  const sealed = store.sealed.get(TOKEN_PLACE);
  const sealedProxy = store.sealed.get(PROXY_PLACE);
  if (!sealed || (row.proxy !== null && !sealedProxy)) return null;
  const token = vault.open(sealed);
  hideSecret?.(token);
  const { apiRoot, allowPrivate } = row;
  return { token, apiRoot, allowPrivate, proxy: row.proxy !== null && sealedProxy ? vault.open(sealedProxy) : null };
}
