// Webhooks of payment providers, below the sub path: `hook/<token>`. A webhook is only a hint to poll the provider; its content is not trusted.
// Failures of the panel are not reported, since providers repeat unaccepted webhooks.
import type { Core } from '../core/kernel/core.ts';
import { PanelError } from '../core/kernel/panel-error.ts';
import type { Clock, Log } from '../core/ports/ports.ts';
import { computeNetwork } from '../domain/client-network.ts';
import { createRateLimiter, type RateRule } from '../domain/rate-limiter.ts';
import { type CallState, makeReply, newCallState, type RequestBody, readBytes } from './call.ts';
import type { LinkDoor, LinkRequest } from './subscription.ts';

export interface HookDoorParts {
  readonly core: Pick<Core, 'shop'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
}

const HOOK = /^\/hook\/([A-Za-z0-9_-]{32})$/;
/** Matches no provider. */
const NO_TOKEN = '-'.repeat(32);
/** Maximum size of a webhook. */
const MAX_BYTES = 65_536;
/** Per provider and network: enough for a payment per second. */
const HOOKS: RateRule = { perMinute: 120, burst: 60 };
/** Retry-After if the panel cannot decide now. */
const RETRY_SECONDS = 60;

export function createHookDoor({ core, clock, log }: HookDoorParts): LinkDoor {
  const limiter = createRateLimiter<string>();

  const empty = (state: CallState, status: number) => makeReply(state, status, null, '');
  const rejectUntil = (state: CallState, seconds: number) =>
    makeReply(state, 429, null, '', ['Retry-After', String(Math.max(1, seconds))]);

  async function handleWebhook(state: CallState, token: string, body: RequestBody, headers: LinkRequest['allHeaders']) {
    try {
      const raw = new TextDecoder().decode(await readBytes(body, MAX_BYTES));
      const known = await core.shop.hint(token, { raw, headers: singleHeaders(headers) });
      return empty(state, known ? 200 : 400);
    } catch (error) {
      if (error instanceof PanelError && error.code === 'body_too_large') return empty(state, 413);
      log.warn('payment webhook not taken', { requestId: state.id });
      return rejectUntil(state, RETRY_SECONDS);
    }
  }

  return {
    isOwn: (path) => HOOK.test(path),
    answer({ id, isStray, method, path, body, address, allHeaders }) {
      const given = HOOK.exec(path)?.[1];
      const token = isStray || method !== 'POST' ? undefined : given;
      // Always one look-up, so that the response time reveals nothing.
      const isKnown = core.shop.isWebhookToken(token ?? NO_TOKEN);
      if (token === undefined || !isKnown) return null;
      const state = newCallState(id, method);
      state.route = 'hook';
      const { isAllowed, retryAfter } = limiter.consumeRequest(
        `${token} ${computeNetwork(address)}`,
        HOOKS,
        clock.now(),
      );
      return isAllowed ? handleWebhook(state, token, body, allHeaders) : rejectUntil(state, retryAfter);
    },
  };
}

/** Headers that occur once. */
function singleHeaders(headers: LinkRequest['allHeaders']): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : undefined]),
  );
}
