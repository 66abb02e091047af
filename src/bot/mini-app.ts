// The Mini App: the page of a subscription inside Telegram, for whom Telegram says that it is. Telegram opens only what has a public name and a
// certificate that is trusted everywhere.
import type { Core } from '../core/kernel/core.ts';
import type { MiniApp } from '../core/ports/bot.ts';
import type { Clock } from '../core/ports/ports.ts';
import { computeLinkTrust } from '../domain/link-trust.ts';
import { coversName, isPublicName } from '../domain/public-name.ts';
import { readInitData } from './init-data.ts';

/** Below the sub path. No token is as short. */
export const MINI_APP_PATH = 'app';

export interface MiniAppParts {
  readonly core: Pick<Core, 'bot'>;
  readonly clock: Clock;
  /** An address below the sub path. */
  subUrl(path: string): string;
  /** The certificates that the panel serves; null: it serves none, and a proxy before it has one. */
  served(): readonly (Parameters<typeof computeLinkTrust>[0][number] & { readonly names: readonly string[] })[] | null;
}

export function createMiniApp({ core, clock, subUrl, served }: MiniAppParts): MiniApp {
  const { bot: botService } = core;
  function isTrusted(name: string): boolean {
    const all = served();
    if (all === null) return true;
    const one = all.find(({ target }) => target === 'links') ?? all[0];
    return computeLinkTrust(all) === 'trusted' && one !== undefined && coversName(one.names, name);
  }
  return {
    url() {
      const url = subUrl(MINI_APP_PATH);
      const { protocol, hostname } = new URL(url);
      const isOpen = protocol === 'https:' && isPublicName(hostname) && isTrusted(hostname);
      return isOpen && botService.bot() !== null ? url : null;
    },
    signIn(initData) {
      const bot = botService.bot();
      if (bot === null) return 'ended';
      const found = readInitData(initData, bot.token, clock.now());
      if (typeof found === 'string') return found;
      const link = botService.findLinkToken(found.telegramId);
      return link === null ? 'unknown' : { link };
    },
  };
}
