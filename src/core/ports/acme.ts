// The port of ACME: what carries out an order, and what is stored of orders.
import type { AcmeChallenge, AcmeFailureCode } from '../../contract/settings/acme.ts';
import type { CERTIFICATE_TARGETS } from '../../contract/settings/certificates.ts';
import type { Span } from '../../domain/acme-schedule.ts';

/** What the administrator has set. */
export interface AcmeSettings {
  readonly directoryUrl: string;
  readonly email: string | null;
  /** Lower case. */
  readonly names: readonly string[];
  readonly challenge: AcmeChallenge;
  readonly httpPort: number;
  readonly targets: readonly (typeof CERTIFICATE_TARGETS)[number][];
}

export interface AcmeFailure {
  readonly code: AcmeFailureCode;
  readonly name: string | null;
  /** As the authority names it, without its namespace. */
  readonly type: string | null;
  readonly detail: string | null;
}

/** How orders stand, over restarts: written before the authority is asked, so that no crash and no restart orders without a pause. */
export interface AcmeState {
  /** When orders of the last hour began. */
  readonly orders: readonly number[];
  /** How many have failed in a row. */
  readonly failures: number;
  readonly failure: (AcmeFailure & { readonly at: number }) | null;
  /** No order begins before. */
  readonly notBefore: number;
  /** What the present certificate was ordered for and from; null: there is none. */
  readonly issued: { readonly directoryUrl: string; readonly names: readonly string[]; readonly validity: Span } | null;
  /** When the present one is renewed. */
  readonly renewAt: number | null;
  /** The window that the authority advises, and when it was asked. */
  readonly window: Span | null;
  readonly askedAt: number | null;
  /** Whether the end of the present one was announced. */
  readonly isEndAnnounced: boolean;
}

export const NO_ORDERS: AcmeState = {
  orders: [],
  failures: 0,
  failure: null,
  notBefore: 0,
  issued: null,
  renewAt: null,
  window: null,
  askedAt: null,
  isEndAnnounced: false,
};

/** PEM: the private key (PKCS #8), and the leaf with what signed it. */
export interface IssuedByAcme {
  readonly key: string;
  readonly chain: string;
}

/** Why an order failed. */
export class AcmeError extends Error {
  readonly failure: AcmeFailure;
  /** How long the authority asks to wait, in ms; null: it does not. */
  readonly retryAfterMs: number | null;
  constructor(failure: AcmeFailure, retryAfterMs: number | null = null) {
    super(`${failure.code}${failure.detail === null ? '' : `: ${failure.detail}`}`);
    this.failure = failure;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Asks certificate authorities. */
export interface AcmeClient {
  /**
   * Orders a certificate, with a new key, and answers the challenges meanwhile. `replaces`: the chain of the one before it, from the same
   * authority. Rejects with AcmeError; aborted, it ends soon.
   */
  order(settings: AcmeSettings, replaces: string | null, signal: AbortSignal): Promise<IssuedByAcme>;
  /** When the authority advises to renew this chain; null: it does not say. Rejects where it does not answer. */
  renewalWindow(directoryUrl: string, chain: string): Promise<Span | null>;
}
