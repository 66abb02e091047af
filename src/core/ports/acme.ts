// The ACME port: the client, and the stored state of orders.
import type { AcmeChallenge, AcmeFailureCode } from '../../contract/settings/acme.ts';
import type { CERTIFICATE_TARGETS } from '../../contract/settings/certificates.ts';
import type { Span } from '../../domain/acme-schedule.ts';

/** Settings by the administrator. */
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
  /** The error type of RFC 8555, without its namespace. */
  readonly type: string | null;
  readonly detail: string | null;
}

/** State of orders across restarts: written before the authority is contacted, so that a crash cannot skip a pause. */
export interface AcmeState {
  /** Start times of the orders of the last hour. */
  readonly orders: readonly number[];
  /** Number of consecutive failures. */
  readonly failures: number;
  readonly failure: (AcmeFailure & { readonly at: number }) | null;
  /** No order starts earlier, epoch ms. */
  readonly notBefore: number;
  /** Settings of the current certificate; null: none. */
  readonly issued: { readonly directoryUrl: string; readonly names: readonly string[]; readonly validity: Span } | null;
  /** When it is renewed, epoch ms. */
  readonly renewAt: number | null;
  /** The renewal window suggested by the authority; null: unknown. */
  readonly window: Span | null;
  /** When the authority was last polled for the window, epoch ms; null: never. */
  readonly polledAt: number | null;
  /** Whether the coming expiry was announced. */
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
  polledAt: null,
  isEndAnnounced: false,
};

/** PEM: the private key (PKCS #8), and the certificate with its chain. */
export interface IssuedByAcme {
  readonly key: string;
  readonly chain: string;
}

/** The reason of a failed order. */
export class AcmeError extends Error {
  readonly failure: AcmeFailure;
  /** Retry-After of the authority in ms; null: none. */
  readonly retryAfterMs: number | null;
  constructor(failure: AcmeFailure, retryAfterMs: number | null = null) {
    super(`${failure.code}${failure.detail === null ? '' : `: ${failure.detail}`}`);
    this.failure = failure;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Client of certificate authorities. */
export interface AcmeClient {
  /**
   * Orders a certificate with a new key and answers the challenges. `replaces`: the chain of the previous one from the same authority. Rejects with
   * AcmeError; ends soon after an abort.
   */
  order(settings: AcmeSettings, replaces: string | null, signal: AbortSignal): Promise<IssuedByAcme>;
  /** The suggested renewal window of this chain; null: none. Rejects if the authority does not answer. */
  renewalWindow(directoryUrl: string, chain: string): Promise<Span | null>;
}
