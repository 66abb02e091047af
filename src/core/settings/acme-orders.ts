// The procedure of ACME orders: when the next one begins, what is stored, and which notifications are sent. The panel stores orders in its settings,
// a node's machine in its folder.
//
// An order is stored as failed, with the pause after it, before the authority is contacted: whatever ends the process, the next attempt respects the
// pause. Only a success removes it.
import {
  computeRenewalTime,
  isNearEnd,
  pauseAfter,
  pauseEnd,
  pickRenewalTime,
  recentOrders,
  type Span,
} from '../../domain/acme-schedule.ts';
import { HOUR_MS } from '../../domain/limits.ts';
import {
  type AcmeClient,
  AcmeError,
  type AcmeFailure,
  type AcmeSettings,
  type AcmeState,
  type IssuedByAcme,
  NO_ORDERS,
} from '../ports/acme.ts';
import type { Clock, Crypto, Log } from '../ports/ports.ts';

/** How often the renewal window is read: it changes when certificates are revoked. */
const RENEWAL_CHECK_MS = 6 * HOUR_MS;
const RANDOM_BYTES = 4;

/** Notifications to the operator. */
export type AcmeNews =
  | { readonly kind: 'renewed' | 'ending'; readonly validity: Span }
  /** `endsAt`: of the certificate that is served meanwhile; null: none. */
  | { readonly kind: 'failed'; readonly failure: AcmeFailure; readonly endsAt: number | null };

/** The host of orders. */
export interface AcmePlace {
  readonly client: AcmeClient;
  readonly clock: Clock;
  readonly crypto: Pick<Crypto, 'randomBytes'>;
  readonly log: Log;
  /** Null: nothing is ordered. The same object as long as the settings are unchanged. */
  settings(): AcmeSettings | null;
  state(): AcmeState;
  /** Stores the state and sends the notification, together. Resolves with null, and writes nothing, if the settings have changed. */
  save(
    settings: AcmeSettings,
    next: (state: AcmeState, now: number) => AcmeState,
    news?: (state: AcmeState) => AcmeNews,
  ): Promise<AcmeState | null>;
  /** PEM; null: no ACME certificate. */
  issuedChain(): string | null;
  /** The fault of a certificate; null: it can be served. */
  findCertificateFault(issued: IssuedByAcme): string | null;
  /** Serves it from now on. */
  install(issued: IssuedByAcme, settings: AcmeSettings): Span;
  /** Called at the start of an order with its controller, and with null at its end. */
  setRunning(order: AbortController | null): void;
}

/** Whether a certificate for these settings exists. */
export function hasOrdered(
  { directoryUrl, names }: AcmeSettings,
  { issued }: AcmeState,
  chain: string | null | undefined,
): boolean {
  if (issued === null || chain == null) return false;
  return issued.directoryUrl === directoryUrl && issued.names.join() === names.join();
}

/** When the next order begins, epoch ms; may be in the past. */
export function nextOrderAt(isOrdered: boolean, state: AcmeState, now: number): number {
  return Math.max(isOrdered ? (state.renewAt ?? 0) : 0, pauseEnd(state.notBefore, now));
}

function toFailure(error: unknown): AcmeFailure {
  if (error instanceof AcmeError) return error.failure;
  return { code: 'internal', name: null, type: null, detail: null };
}

async function recordFailure(place: AcmePlace, settings: AcmeSettings, error: unknown): Promise<void> {
  const failure = toFailure(error);
  const requestedMs = error instanceof AcmeError ? error.retryAfterMs : null;
  const { code, type } = failure;
  const cause = code === 'internal' ? { error: String(error) } : {};
  place.log.error('no certificate by ACME', { code, type, ...cause });
  await place.save(
    settings,
    (state, now) => ({
      ...state,
      failure: { ...failure, at: now },
      notBefore: now + pauseAfter(state.failures, requestedMs),
    }),
    ({ issued }) => ({ kind: 'failed', failure, endsAt: issued?.validity.to ?? null }),
  );
}

async function accept(place: AcmePlace, settings: AcmeSettings, issued: IssuedByAcme): Promise<void> {
  // If the settings have changed meanwhile, the next run orders again.
  if (JSON.stringify(place.settings()) !== JSON.stringify(settings)) return;
  const validity = place.install(issued, settings);
  const { directoryUrl, names } = settings;
  await place.save(
    settings,
    ({ orders }) => ({
      ...NO_ORDERS,
      orders,
      issued: { directoryUrl, names, validity },
      renewAt: computeRenewalTime(validity),
    }),
    () => ({ kind: 'renewed', validity }),
  );
  place.log.info('certificate by ACME', { until: new Date(validity.to).toISOString() });
}

async function order(place: AcmePlace, settings: AcmeSettings): Promise<void> {
  const state = await place.save(settings, (former, now) => ({
    ...former,
    orders: [...recentOrders(former.orders, now), now],
    failures: former.failures + 1,
    failure: { code: 'interrupted', name: null, type: null, detail: null, at: now },
    notBefore: now + pauseAfter(former.failures + 1, null),
  }));
  if (state === null) return;
  const running = new AbortController();
  place.setRunning(running);
  try {
    const chain = place.issuedChain();
    const replaces = hasOrdered(settings, state, chain) ? chain : null;
    const issued = await place.client.order(settings, replaces, running.signal);
    if (running.signal.aborted) return;
    const problem = place.findCertificateFault(issued);
    if (problem !== null) throw new AcmeError({ code: 'unusable', name: null, type: null, detail: problem });
    await accept(place, settings, issued);
  } catch (error) {
    if (!running.signal.aborted) await recordFailure(place, settings, error);
  } finally {
    place.setRunning(null);
  }
}

function randomShare({ crypto }: AcmePlace): number {
  const bytes = crypto.randomBytes(RANDOM_BYTES);
  return bytes.reduce((sum, byte) => sum * 256 + byte, 0) / 256 ** RANDOM_BYTES;
}

/** Reads the renewal window and chooses a time in it; a new time only for a new window. */
async function fetchRenewalWindow(place: AcmePlace, settings: AcmeSettings, chain: string): Promise<void> {
  const window = await place.client.renewalWindow(settings.directoryUrl, chain).catch((error: unknown) => {
    place.log.warn('not known when to renew the certificate', { error: String(error) });
    return undefined;
  });
  await place.save(settings, (state, now) => {
    const polled = { ...state, polledAt: now };
    if (!window || (state.window?.from === window.from && state.window.to === window.to)) return polled;
    return { ...polled, window, renewAt: pickRenewalTime(window, randomShare(place)) };
  });
}

/** The periodic job: announces a coming expiry, reads the renewal window, and places due orders. */
export async function advanceOrders(place: AcmePlace): Promise<void> {
  const settings = place.settings();
  if (settings === null) return;
  const state = place.state();
  const now = place.clock.now();
  const chain = place.issuedChain();
  const isOrdered = hasOrdered(settings, state, chain);
  const validity = isOrdered ? (state.issued?.validity ?? null) : null;
  if (validity !== null && !state.isEndAnnounced && isNearEnd(validity, now)) {
    await place.save(
      settings,
      (former) => ({ ...former, isEndAnnounced: true }),
      () => ({ kind: 'ending', validity }),
    );
  }
  const isOfOld = state.polledAt === null || now - state.polledAt >= RENEWAL_CHECK_MS || state.polledAt > now;
  if (isOrdered && chain !== null && isOfOld) await fetchRenewalWindow(place, settings, chain);
  if (place.settings() !== settings) return;
  const latest = place.state();
  if (nextOrderAt(hasOrdered(settings, latest, place.issuedChain()), latest, now) > now) return;
  await order(place, settings);
}
