// The Mini App: a subscription's page inside Telegram, for the person whom Telegram names. Telegram opens only public names with a publicly
// trusted certificate.
import { timingSafeEqual } from 'node:crypto';
import type { Core } from '../core/kernel/core.ts';
import type { MiniApp } from '../core/ports/bot.ts';
import type { Clock } from '../core/ports/ports.ts';
import { computeLinkTrust } from '../domain/link-trust.ts';
import { coversName, isPublicName } from '../domain/public-name.ts';
import { readInitData } from './init-data.ts';

export interface MiniAppParts {
  readonly core: Pick<Core, 'bot'>;
  readonly clock: Clock;
  /** An address below the sub path. */
  subUrl(path: string): string;
  /** The certificates that the panel serves; null: a reverse proxy has them. */
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
  function findUrl(): URL | null {
    const bot = botService.bot();
    if (bot === null) return null;
    const url = new URL(subUrl(bot.row.appPath));
    const { protocol, hostname } = url;
    return protocol === 'https:' && isPublicName(hostname) && isTrusted(hostname) ? url : null;
  }
  return {
    url: () => findUrl()?.href ?? null,
    isAt(path, host) {
      const bot = botService.bot();
      if (bot === null || !isSameText(path, `/${bot.row.appPath}`)) return false;
      // Only a request with the public name: a scan of addresses does not know it.
      return findUrl()?.hostname === URL.parse(`https://${host}`)?.hostname;
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

function isSameText(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
