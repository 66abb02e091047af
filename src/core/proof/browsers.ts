// Known browsers of the administrator: their failed sign-ins are counted separately, so that attacks do not delay them. A browser is identified by a
// token in a cookie, which grants nothing else.
import { DAY_MS } from '../../domain/limits.ts';
import type { Env, Transaction } from '../kernel/context.ts';
import { tokenOf } from '../kernel/wire.ts';
import type { Call } from '../ports/call.ts';
import type { Store } from '../ports/ports.ts';
import type { BrowserRow } from '../ports/sessions.ts';

const TOKEN_BYTES = 32;
/** A browser is forgotten this many days after its last sign-in. */
const BROWSER_DAYS = 180;
/** Maximum number: browsers with the oldest sign-in are deleted first. */
const MAX_BROWSERS = 50;

/** The known browser of a call; undefined: unknown or expired. */
export function knownBrowser(
  { store, crypto, clock }: Pick<Env, 'store' | 'crypto' | 'clock'>,
  { browserToken }: Call,
): BrowserRow | undefined {
  if (browserToken === undefined) return undefined;
  const row = store.browsers.byHash(crypto.sha256(browserToken));
  return row && clock.now() - row.signedInAt < BROWSER_DAYS * DAY_MS ? row : undefined;
}

/** A new known browser and the token to store in it. */
interface Remembered {
  readonly id: number;
  readonly token: string;
}

/** Remembers the browser of a sign-in; undefined if the call is not from a browser. */
export function rememberBrowser(tx: Transaction): Remembered | undefined {
  const { env, store, crypto, call, now } = tx;
  if (call.address === null) return undefined;
  const known = knownBrowser(env, call);
  if (known && call.browserToken !== undefined) {
    store.browsers.touch(known.id, now);
    return { id: known.id, token: call.browserToken };
  }
  const token = tokenOf(crypto.randomBytes(TOKEN_BYTES));
  const id = store.browsers.insert(crypto.sha256(token), now);
  store.browsers.dropOld(0, MAX_BROWSERS);
  return { id, token };
}

/** Deletes all known browsers except the one of this call. */
export function forgetOtherBrowsers({ env, store, call }: Transaction): void {
  store.browsers.removeAll(knownBrowser(env, call)?.id ?? null);
}

export function pruneBrowsers(store: Store, now: number): void {
  store.browsers.dropOld(now - BROWSER_DAYS * DAY_MS, MAX_BROWSERS);
}
