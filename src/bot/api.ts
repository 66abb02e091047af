// The Bot API by grammY's client. Errors become codes, because request errors have the token in their text.
import type { Agent } from 'node:http';
import { Api, GrammyError, HttpError } from 'grammy/web';
import type { BotError } from '../contract/bot/bot.ts';
import type { BotAccess, BotFailure, BotLink } from '../core/ports/bot.ts';
import type { ParseLargeJson } from '../core/ports/json.ts';
import { createBotFetch, NotBotApi } from './fetch.ts';
import { attachFiles } from './images.ts';

const MAX_RETRY_S = 86_400;

type Fetch = NonNullable<NonNullable<ConstructorParameters<typeof Api>[1]>['fetch']>;
type RawCall = (payload: object, signal: AbortSignal) => Promise<unknown>;

/** `agent`: connections to the host of the API, or to its proxy. */
export function connectBot(access: BotAccess, apiRoot: string, agent: Agent, parseLarge: ParseLargeJson): BotLink {
  // The client reads only the JSON of a response.
  const fetch = createBotFetch(agent, parseLarge) as unknown as Fetch;
  const { raw } = new Api(access.token, { apiRoot, fetch });
  const methods = raw as unknown as Readonly<Record<string, RawCall>>;
  const closing = new AbortController();
  return {
    async call(method, payload, timeoutMs) {
      if (closing.signal.aborted) return failure('stopped');
      const late = AbortSignal.timeout(timeoutMs);
      const signal = AbortSignal.any([late, closing.signal]);
      try {
        // The client's method takes no parameters.
        if (method === 'getMe') return { result: await raw.getMe(signal as Parameters<typeof raw.getMe>[0]) };
        return { result: await methods[method]?.(attachFiles(payload), signal) };
      } catch (error) {
        if (closing.signal.aborted) return failure('stopped');
        return late.aborted ? failure('timeout') : toFailure(error, access);
      }
    },
    close() {
      closing.abort();
      agent.destroy();
    },
  };
}

function failure(error: BotError, description = '', retryAfterMs = 0, migratedTo: number | null = null): BotFailure {
  return { error, description, retryAfterMs, migratedTo };
}

function toFailure(error: unknown, { proxy }: BotAccess): BotFailure {
  if (error instanceof GrammyError) return mapApiError(error);
  if (!(error instanceof HttpError)) return failure('refused');
  const { error: cause } = error;
  if (cause instanceof NotBotApi) return failure('not_bot_api');
  const { code } = (cause ?? {}) as { readonly code?: unknown };
  const name = String(code ?? '');
  if (name === 'address_refused') return failure('address_refused');
  if (/CERT|TLS|SSL|EPROTO|SIGN|ISSUER/.test(name)) return failure('certificate');
  if (proxy !== null) return failure('proxy');
  if (name === 'host_unknown' || /^(ENOTFOUND|EAI_)/.test(name)) return failure('host_unknown');
  return failure('connection');
}

function mapApiError({ error_code: code, description, parameters }: GrammyError): BotFailure {
  const { retry_after, migrate_to_chat_id } = parameters;
  // A server that answers JSON, but is not the Bot API.
  if (!Number.isSafeInteger(code)) return failure('not_bot_api');
  // For an unknown token the Bot API answers 404, as for an unknown path.
  if (code === 401 || (code === 404 && /^not found$/i.test(description))) return failure('unauthorized', description);
  if (code === 409) return failure(/webhook/i.test(description) ? 'webhook' : 'conflict', description);
  const seconds = Math.min(MAX_RETRY_S, Math.max(1, retry_after ?? 1));
  if (code === 429) return failure('rate_limited', description, seconds * 1000);
  if (code >= 500) return failure('unavailable', description);
  return failure('refused', description, 0, migrate_to_chat_id ?? null);
}
