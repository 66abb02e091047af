// The client of the Bot API behind the core's port. The library is loaded with the first call: most panels have no bot.
import type { Agent } from 'node:http';
import type { BotAccess, BotClient, BotLink } from '../core/ports/bot.ts';
import type { ParseLargeJson } from '../core/ports/json.ts';

const ROOT = 'https://api.telegram.org';

function getApiRoot({ apiRoot }: BotAccess): string {
  return (apiRoot ?? ROOT).replace(/\/+$/, '');
}

export interface BotClientParts {
  readonly isRefused: BotClient['isRefused'];
  /** Connections to the host of a URL; `proxy`: through it. */
  agent(url: string, allowPrivate: boolean, proxy: string | null): Promise<Agent>;
  readonly parseLarge: ParseLargeJson;
}

export function createBotClient({ isRefused, agent, parseLarge }: BotClientParts): BotClient {
  async function open(access: BotAccess): Promise<BotLink> {
    const { connectBot } = await import('./api.ts');
    const apiRoot = getApiRoot(access);
    return connectBot(access, apiRoot, await agent(apiRoot, access.allowPrivate, access.proxy), parseLarge);
  }
  return {
    isRefused,
    connect(access) {
      let opening: Promise<BotLink> | null = null;
      let opened: BotLink | null = null;
      let isClosed = false;
      const buildFailure = (error: 'stopped' | 'address_refused') =>
        ({ error, description: '', retryAfterMs: 0, migratedTo: null }) as const;
      // With a proxy, the proxy connects, so the host is not checked here.
      const isRefusedHost = access.proxy === null && isRefused(getApiRoot(access), access.allowPrivate);
      return {
        async call(method, payload, timeoutMs) {
          if (isClosed) return buildFailure('stopped');
          if (isRefusedHost) return buildFailure('address_refused');
          opening ??= open(access).then((made) => {
            if (isClosed) made.close();
            opened = made;
            return made;
          });
          const link = await opening;
          return link.call(method, payload, timeoutMs);
        },
        close() {
          isClosed = true;
          opened?.close();
        },
      };
    },
  };
}
