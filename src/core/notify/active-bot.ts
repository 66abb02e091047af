// The running bot that users can write to.
import type { Env } from '../kernel/context.ts';

/** undefined: none. */
export function findRunningBot({ store }: Pick<Env, 'store'>): { readonly username: string } | undefined {
  const row = store.bot.get();
  return row?.enabled && row.error === null ? row : undefined;
}
