// Browsers in which the administrator has signed in before: their failed sign-ins are counted apart from those of everybody else, so
// that no attack slows them. A browser proves it by a token in a cookie; it grants nothing else.
import { DAY_MS } from '../../domain/limits.ts';
import type { Env, Transaction } from '../kernel/context.ts';
import { tokenOf } from '../kernel/wire.ts';
import type { Call } from '../ports/call.ts';
import type { Store } from '../ports/ports.ts';
import type { BrowserRow } from '../ports/sessions.ts';

const TOKEN_BYTES = 32;
/** So long after the last sign-in a browser is like any other. */
const BROWSER_DAYS = 180;
/** More are not stored: those that signed in longest ago are forgotten first. */
const MAX_BROWSERS = 50;

/** The browser that a call comes from; undefined: it has not signed in, or not for long. */
export function knownBrowser(
  { store, crypto, clock }: Pick<Env, 'store' | 'crypto' | 'clock'>,
  { browserToken }: Call,
): BrowserRow | undefined {
  if (browserToken === undefined) return undefined;
  const row = store.browsers.byHash(crypto.sha256(browserToken));
  return row && clock.now() - row.signedInAt < BROWSER_DAYS * DAY_MS ? row : undefined;
}

/** A browser that has just signed in, and what to store in it. */
interface Remembered {
  readonly id: number;
  readonly token: string;
}

/** Remembers the browser that has just signed in; undefined where there is none. */
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

/** Forgets all browsers but the one of this call, where it is known. */
export function forgetOtherBrowsers({ env, store, call }: Transaction): void {
  store.browsers.removeAll(knownBrowser(env, call)?.id ?? null);
}

export function pruneBrowsers(store: Store, now: number): void {
  store.browsers.dropOld(now - BROWSER_DAYS * DAY_MS, MAX_BROWSERS);
}
