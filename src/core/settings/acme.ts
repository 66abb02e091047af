// Certificates by ACME: what the administrator asks for, and the periodic job that orders and renews.
//
// An order is written down as failed before the authority is asked, with the pause after it: whatever ends the panel meanwhile, the next
// attempt keeps to the pause. Only success takes it back.
import type { Acme } from '../../contract/settings/acme.ts';
import type { Input, Output } from '../../contract/table.ts';
import {
  isNearEnd,
  momentIn,
  nextFreeMoment,
  pauseAfter,
  recentOrders,
  renewalOf,
  type Span,
} from '../../domain/acme-schedule.ts';
import { HOUR_MS } from '../../domain/limits.ts';
import { type Say, tellAdmins } from '../bot/admin-notices.ts';
import type { Call, Result } from '../call.ts';
import {
  type AsyncContext,
  type Context,
  createTransaction,
  type Env,
  type Handlers,
  type Transaction,
} from '../context.ts';
import { PanelError } from '../panel-error.ts';
import {
  AcmeError,
  type AcmeFailure,
  type AcmeSettings,
  type AcmeState,
  type IssuedByAcme,
  NO_ORDERS,
} from '../ports/acme.ts';
import type { CertificateTarget, HostPorts } from '../ports/host.ts';
import { toInstant, toInstantOrNull } from '../wire.ts';

/** How often the authority is asked when to renew: what it advises changes where certificates are revoked. */
const ASK_EVERY_MS = 6 * HOUR_MS;
const RANDOM_BYTES = 4;

const CALL: Call = {
  actor: { kind: 'panel', id: null, name: 'panel', access: 'full' },
  requestId: 'acme',
  address: null,
};

type AcmeHost = Pick<HostPorts, 'certificates' | 'acme'>;
type AcmeParts = { readonly [Name in keyof AcmeHost]-?: NonNullable<AcmeHost[Name]> };

function hostOf(env: Env): AcmeParts | null {
  const host = env.host();
  return host?.certificates && host.acme ? { certificates: host.certificates, acme: host.acme } : null;
}

function requireHost(env: Env): AcmeParts {
  const host = hostOf(env);
  if (host === null) throw new PanelError('unavailable');
  return host;
}

/** Whether a certificate is there that was ordered for this. */
function hasOrdered(env: Env, { directoryUrl, names }: AcmeSettings, { issued }: AcmeState): boolean {
  if (issued === null || hostOf(env)?.certificates.issuedChain() == null) return false;
  return issued.directoryUrl === directoryUrl && issued.names.join() === names.join();
}

/** When the next order begins, which may be past. */
function nextOrderAt(env: Env, settings: AcmeSettings, state: AcmeState): number {
  const wantedAt = hasOrdered(env, settings, state) ? (state.renewAt ?? 0) : 0;
  return Math.max(wantedAt, state.notBefore);
}

function statusOf(env: Env, settings: AcmeSettings | null, state: AcmeState): Acme['status'] {
  if (settings === null) return 'off';
  if (env.acmeOrder !== null) return 'ordering';
  if (state.failure !== null) return 'failing';
  return hasOrdered(env, settings, state) ? 'active' : 'waiting';
}

function view(env: Env, settings: AcmeSettings | null, state: AcmeState): Acme {
  const status = statusOf(env, settings, state);
  const endsAt = hostOf(env)?.certificates.issuedChain() == null ? null : (state.issued?.validity.to ?? null);
  const isDated = settings !== null && status !== 'ordering';
  return {
    settings: settings && {
      directory_url: settings.directoryUrl,
      email: settings.email,
      names: [...settings.names],
      challenge: settings.challenge,
      http_port: settings.httpPort,
      targets: [...settings.targets],
    },
    status,
    not_after: settings && toInstantOrNull(endsAt),
    next_order_at: isDated ? toInstant(Math.max(nextOrderAt(env, settings, state), env.clock.now())) : null,
    failures: status === 'ordering' ? Math.max(0, state.failures - 1) : state.failures,
    failure:
      status === 'ordering' || state.failure === null ? null : { ...state.failure, at: toInstant(state.failure.at) },
  };
}

function present(env: Env): Acme {
  const { acme, acmeState } = env.settings();
  return view(env, acme, acmeState);
}

/** Ends a running order: what it was for has changed. */
function abandonOrder(env: Env): void {
  env.acmeOrder?.abort();
}

async function setUpAcme(
  input: Input<'setUpAcme'>,
  context: AsyncContext<'setUpAcme'>,
): Promise<Result<Output<'setUpAcme'>>> {
  const { env, transaction } = context;
  const { certificates } = requireHost(env);
  const settings: AcmeSettings = {
    directoryUrl: input.directory_url,
    email: input.email,
    names: input.names,
    challenge: input.challenge,
    httpPort: input.http_port,
    targets: input.targets,
  };
  await transaction((tx) => {
    const { acmeState: state } = tx.settings;
    const isSameOrder = hasOrdered(env, settings, state);
    const renewAt = isSameOrder ? state.renewAt : null;
    const notBefore = nextFreeMoment(state.orders, tx.now);
    tx.saveSettings({
      acme: settings,
      acmeState: { ...state, failures: 0, failure: null, notBefore, renewAt, window: null, askedAt: null },
    });
    // Names are addresses, which must not be in any log.
    const { challenge, targets } = settings;
    tx.audit('certificate', { directory: settings.directoryUrl, challenge, targets, names: settings.names.length });
    tx.emit('settings.changed', {}, ['acme']);
  });
  abandonOrder(env);
  if (hasOrdered(env, settings, env.settings().acmeState)) certificates.followAcme(settings.targets);
  return { body: present(env) };
}

function retryAcme(_input: Input<'retryAcme'>, tx: Transaction): Result<Output<'retryAcme'>> {
  const { acme, acmeState: state } = tx.settings;
  requireHost(tx.env);
  if (acme === null || state.failure === null || tx.env.acmeOrder !== null) return { body: view(tx.env, acme, state) };
  const next = { ...state, notBefore: nextFreeMoment(state.orders, tx.now) };
  tx.saveSettings({ acmeState: next });
  tx.audit('certificate', { act: 'retry' });
  return { body: view(tx.env, acme, next) };
}

async function turnOffAcme(
  _input: Input<'turnOffAcme'>,
  { env, transaction }: AsyncContext<'turnOffAcme'>,
): Promise<Result<Output<'turnOffAcme'>>> {
  const { certificates } = requireHost(env);
  await transaction((tx) => {
    tx.audit('certificate', { act: 'turn off' });
    if (tx.settings.acme !== null) tx.emit('settings.changed', {}, ['acme']);
    turnOff(tx);
  });
  abandonOrder(env);
  certificates.dropIssued();
  return { body: present(env) };
}

function turnOff(tx: Transaction): void {
  const { orders } = tx.settings.acmeState;
  tx.saveSettings({ acme: null, acmeState: { ...NO_ORDERS, orders } });
}

/** Another certificate was put in the place of the one by ACME, at this listener. */
export async function endAcmeFor(
  target: CertificateTarget,
  { env, transaction }: Pick<AsyncContext<'importCertificate'>, 'env' | 'transaction'>,
): Promise<void> {
  const isOn = env.settings().acme?.targets.includes(target) ?? false;
  if (!isOn) return;
  await transaction((tx) => {
    const { acme } = tx.settings;
    if (acme === null) return;
    const targets = acme.targets.filter((other) => other !== target);
    if (targets.length === 0) turnOff(tx);
    else tx.saveSettings({ acme: { ...acme, targets } });
    tx.emit('settings.changed', {}, ['acme']);
  });
  if (env.settings().acme !== null) return;
  abandonOrder(env);
  hostOf(env)?.certificates.dropIssued();
}

/** Writes how orders stand, unless what was asked for has changed meanwhile, and says so in the feed. */
async function save(
  env: Env,
  settings: AcmeSettings,
  next: (state: AcmeState, now: number) => AcmeState,
  say: (tx: Transaction, state: AcmeState) => void = () => {},
): Promise<AcmeState | null> {
  const saved = await env.queue.run(() =>
    env.store.write(() => {
      const tx = createTransaction(env, CALL, 'acmeOrder', env.clock.now());
      if (JSON.stringify(tx.settings.acme) !== JSON.stringify(settings)) return null;
      const acmeState = next(tx.settings.acmeState, tx.now);
      tx.saveSettings({ acmeState });
      say(tx, acmeState);
      return acmeState;
    }),
  );
  env.announce();
  return saved;
}

const endOf = ({ issued }: AcmeState) => toInstantOrNull(issued?.validity.to ?? null);

async function order(env: Env, settings: AcmeSettings, { certificates, acme }: AcmeParts): Promise<void> {
  const state = await save(env, settings, (former, now) => ({
    ...former,
    orders: [...recentOrders(former.orders, now), now],
    failures: former.failures + 1,
    failure: { code: 'interrupted', name: null, type: null, detail: null, at: now },
    notBefore: now + pauseAfter(former.failures + 1, null),
  }));
  if (state === null) return;
  const running = new AbortController();
  env.acmeOrder = running;
  try {
    const replaces = hasOrdered(env, settings, state) ? certificates.issuedChain() : null;
    const issued = await acme.order(settings, replaces, running.signal);
    if (running.signal.aborted) return;
    const [wrong] = certificates.judge(issued);
    if (wrong) throw new AcmeError({ code: 'unusable', name: null, type: null, detail: wrong.message });
    await accept(env, settings, certificates, issued);
  } catch (error) {
    if (!running.signal.aborted) await noteFailure(env, settings, error);
  } finally {
    env.acmeOrder = null;
    env.announce();
  }
}

async function accept(
  env: Env,
  settings: AcmeSettings,
  certificates: AcmeParts['certificates'],
  issued: IssuedByAcme,
): Promise<void> {
  // What was asked for may have changed in the last moment; then it is ordered again.
  if (JSON.stringify(env.settings().acme) !== JSON.stringify(settings)) return;
  const validity = certificates.install(issued, settings.targets);
  const { directoryUrl, names } = settings;
  await save(
    env,
    settings,
    ({ orders }) => ({ ...NO_ORDERS, orders, issued: { directoryUrl, names, validity }, renewAt: renewalOf(validity) }),
    (tx) => {
      tx.emit('certificate.renewed', { not_after: toInstant(validity.to) });
      const say: Say = ({ t, when }) => t('admin.notice.certificateRenewed', { when: when(validity.to) });
      tellAdmins(tx, { kind: 'certificate', key: `renewed:${validity.to}`, say });
    },
  );
  env.log.info('certificate by ACME', { until: toInstant(validity.to) });
}

function failureOf(error: unknown): AcmeFailure {
  if (error instanceof AcmeError) return error.failure;
  return { code: 'internal', name: null, type: null, detail: null };
}

async function noteFailure(env: Env, settings: AcmeSettings, error: unknown): Promise<void> {
  const failure = failureOf(error);
  const asked = error instanceof AcmeError ? error.retryAfterMs : null;
  const { code, type } = failure;
  const cause = code === 'internal' ? { error: String(error) } : {};
  env.log.error('no certificate by ACME', { code, type, ...cause });
  await save(
    env,
    settings,
    (state, now) => ({
      ...state,
      failure: { ...failure, at: now },
      notBefore: now + pauseAfter(state.failures, asked),
    }),
    (tx, state) => {
      const notAfter = endOf(state);
      tx.emit('certificate.failed', { code, not_after: notAfter });
      const until = notAfter === null ? null : Date.parse(notAfter);
      const say: Say = ({ t, when }) =>
        until === null
          ? t('admin.notice.certificateNone', { code })
          : t('admin.notice.certificateFailed', { code, when: when(until) });
      // Once for what is served meanwhile, however often it is tried.
      tellAdmins(tx, { kind: 'certificate', key: `failed:${until ?? 0}:${code}`, say });
    },
  );
}

/** Asks the authority when to renew, and chooses a moment of the window: another one only where the window is another. */
async function askWhen(env: Env, settings: AcmeSettings, { certificates, acme }: AcmeParts): Promise<void> {
  const chain = certificates.issuedChain();
  if (chain === null) return;
  const window = await acme.renewalWindow(settings.directoryUrl, chain).catch((error: unknown) => {
    env.log.warn('not known when to renew the certificate', { error: String(error) });
    return undefined;
  });
  await save(env, settings, (state, now) => {
    const asked = { ...state, askedAt: now };
    if (!window || (state.window?.from === window.from && state.window.to === window.to)) return asked;
    return { ...asked, window, renewAt: momentIn(window, randomShare(env)) };
  });
}

function randomShare({ crypto }: Env): number {
  const bytes = crypto.randomBytes(RANDOM_BYTES);
  return bytes.reduce((sum, byte) => sum * 256 + byte, 0) / 256 ** RANDOM_BYTES;
}

async function announceEnd(env: Env, settings: AcmeSettings, validity: Span): Promise<void> {
  await save(
    env,
    settings,
    (state) => ({ ...state, isEndAnnounced: true }),
    (tx) => {
      tx.emit('certificate.ending', { not_after: toInstant(validity.to) });
      const say: Say = ({ t, when }) => t('admin.notice.certificateEnding', { when: when(validity.to) });
      tellAdmins(tx, { kind: 'certificate', key: `ending:${validity.to}`, say });
    },
  );
}

/** The periodic job: announces an end that is near, asks when to renew, and orders what is due. */
export async function runAcme(env: Env): Promise<void> {
  const { acme: settings, acmeState: state } = env.settings();
  const host = hostOf(env);
  if (settings === null || host === null || env.store.diskSpace.isFull()) return;
  const now = env.clock.now();
  const isOrdered = hasOrdered(env, settings, state);
  const validity = isOrdered ? (state.issued?.validity ?? null) : null;
  if (validity !== null && !state.isEndAnnounced && isNearEnd(validity, now))
    await announceEnd(env, settings, validity);
  const isOfOld = state.askedAt === null || now - state.askedAt >= ASK_EVERY_MS || state.askedAt > now;
  if (isOrdered && isOfOld) await askWhen(env, settings, host);
  const latest = env.settings();
  if (latest.acme !== settings || nextOrderAt(env, settings, latest.acmeState) > now) return;
  await order(env, settings, host);
}

export const ACME_HANDLERS = {
  getAcme: {
    read: (_input: Input<'getAcme'>, { env, settings }: Context) => {
      requireHost(env);
      return { body: view(env, settings.acme, settings.acmeState) };
    },
  },
  setUpAcme: { run: setUpAcme },
  retryAcme: { write: retryAcme },
  turnOffAcme: { run: turnOffAcme },
} satisfies Handlers<'getAcme' | 'setUpAcme' | 'retryAcme' | 'turnOffAcme'>;
