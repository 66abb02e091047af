// ACME certificates: the settings of the administrator, and the periodic job that orders and renews.
import type { Acme } from '../../contract/settings/acme.ts';
import type { Input, Output } from '../../contract/table.ts';
import { nextFreeMoment } from '../../domain/acme-schedule.ts';
import type { AsyncContext, Context, Env, Handlers, Transaction } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import { toInstant, toInstantOrNull } from '../kernel/wire.ts';
import { notifyAdmins, type Render } from '../notify/admin-notices.ts';
import { type AcmeSettings, type AcmeState, NO_ORDERS } from '../ports/acme.ts';
import type { Result } from '../ports/call.ts';
import type { CertificateTarget, HostPorts } from '../ports/host.ts';
import { type AcmeNews, type AcmePlace, advanceOrders, hasOrdered, nextOrderAt } from './acme-orders.ts';

export type AcmeEnv = Pick<
  Env,
  'acmeOrder' | 'announce' | 'clock' | 'crypto' | 'host' | 'log' | 'settings' | 'store' | 'transact'
>;

type AcmeHost = Pick<HostPorts, 'certificates' | 'acme'>;
type AcmeParts = { readonly [Name in keyof AcmeHost]-?: NonNullable<AcmeHost[Name]> };

function findAcmeParts(env: Pick<Env, 'host'>): AcmeParts | null {
  const host = env.host();
  return host?.certificates && host.acme ? { certificates: host.certificates, acme: host.acme } : null;
}

function requireHost(env: Pick<Env, 'host'>): AcmeParts {
  const host = findAcmeParts(env);
  if (host === null) throw new PanelError('unavailable');
  return host;
}

const getIssuedChain = (env: Pick<Env, 'host'>) => findAcmeParts(env)?.certificates.issuedChain();
const isOrdered = (env: Pick<Env, 'host'>, settings: AcmeSettings, state: AcmeState) =>
  hasOrdered(settings, state, getIssuedChain(env));

function computeStatus(
  env: Pick<Env, 'acmeOrder' | 'host'>,
  settings: AcmeSettings | null,
  state: AcmeState,
): Acme['status'] {
  if (settings === null) return 'off';
  if (env.acmeOrder.isRunning()) return 'ordering';
  if (state.failure !== null) return 'failing';
  return isOrdered(env, settings, state) ? 'active' : 'waiting';
}

function view(env: AcmeEnv, settings: AcmeSettings | null, state: AcmeState): Acme {
  const status = computeStatus(env, settings, state);
  const endsAt = getIssuedChain(env) == null ? null : (state.issued?.validity.to ?? null);
  const nextAt = settings && nextOrderAt(isOrdered(env, settings, state), state, env.clock.now());
  const isDated = nextAt !== null && status !== 'ordering';
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
    next_order_at: isDated ? toInstant(Math.max(nextAt, env.clock.now())) : null,
    failures: status === 'ordering' ? Math.max(0, state.failures - 1) : state.failures,
    failure:
      status === 'ordering' || state.failure === null ? null : { ...state.failure, at: toInstant(state.failure.at) },
  };
}

export function readAcme(env: AcmeEnv): Acme {
  const { acme, acmeState } = env.settings();
  return view(env, acme, acmeState);
}

/** Aborts a running order whose settings have changed. */
function abandonOrder(env: Pick<Env, 'acmeOrder'>): void {
  env.acmeOrder.abort();
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
  await transaction((tx) => saveAcme(tx, settings));
  abandonOrder(env);
  if (isOrdered(env, settings, env.settings().acmeState)) certificates.followAcme(settings.targets);
  return { body: readAcme(env) };
}

function saveAcme(tx: Transaction, settings: AcmeSettings): void {
  const { acmeState: state } = tx.settings;
  const isSameOrder = isOrdered(tx.env, settings, state);
  const renewAt = isSameOrder ? state.renewAt : null;
  const notBefore = nextFreeMoment(state.orders, tx.now);
  tx.saveSettings({
    acme: settings,
    acmeState: { ...state, failures: 0, failure: null, notBefore, renewAt, window: null, polledAt: null },
  });
  // Names are addresses, which must not be logged.
  const { challenge, targets } = settings;
  tx.audit('certificate', { directory: settings.directoryUrl, challenge, targets, names: settings.names.length });
  tx.emit('settings.changed', {}, ['acme']);
}

/** For the command line: like `setUpAcme`, but without effect if the same order exists, so that its pause is kept. */
export function orderAcme(tx: Transaction, settings: AcmeSettings): void {
  requireHost(tx.env);
  const { acme } = tx.settings;
  if (acme?.directoryUrl === settings.directoryUrl && acme.names.join() === settings.names.join()) return;
  saveAcme(tx, settings);
  abandonOrder(tx.env);
}

function retryAcme(_input: Input<'retryAcme'>, tx: Transaction): Result<Output<'retryAcme'>> {
  const { acme, acmeState: state } = tx.settings;
  requireHost(tx.env);
  if (acme === null || state.failure === null || tx.env.acmeOrder.isRunning())
    return { body: view(tx.env, acme, state) };
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
    disableAcme(tx);
  });
  abandonOrder(env);
  certificates.dropIssued();
  return { body: readAcme(env) };
}

function disableAcme(tx: Transaction): void {
  const { orders } = tx.settings.acmeState;
  tx.saveSettings({ acme: null, acmeState: { ...NO_ORDERS, orders } });
}

/** Another certificate has replaced the ACME certificate of this listener. */
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
    if (targets.length === 0) disableAcme(tx);
    else tx.saveSettings({ acme: { ...acme, targets } });
    tx.emit('settings.changed', {}, ['acme']);
  });
  if (env.settings().acme !== null) return;
  abandonOrder(env);
  findAcmeParts(env)?.certificates.dropIssued();
}

/** Emits an event, and notifies administrators in the chat. */
function publishNews(tx: Transaction, news: AcmeNews): void {
  if (news.kind === 'failed') {
    const { failure, endsAt } = news;
    const { code } = failure;
    tx.emit('certificate.failed', { code, not_after: toInstantOrNull(endsAt) });
    const render: Render = ({ t, when }) =>
      endsAt === null
        ? t('admin.notice.certificateNone', { code })
        : t('admin.notice.certificateFailed', { code, when: when(endsAt) });
    // Once per served certificate, regardless of the number of attempts.
    notifyAdmins(tx, { kind: 'certificate', key: `failed:${endsAt ?? 0}:${code}`, render });
    return;
  }
  const { kind, validity } = news;
  const key = `${kind}:${validity.to}`;
  tx.emit(kind === 'renewed' ? 'certificate.renewed' : 'certificate.ending', { not_after: toInstant(validity.to) });
  const text = kind === 'renewed' ? 'admin.notice.certificateRenewed' : 'admin.notice.certificateEnding';
  const render: Render = ({ t, when }) => t(text, { when: when(validity.to) });
  notifyAdmins(tx, { kind: 'certificate', key, render });
}

function buildAcmePlace(env: AcmeEnv, { certificates, acme: client }: AcmeParts): AcmePlace {
  return {
    client,
    clock: env.clock,
    crypto: env.crypto,
    log: env.log,
    settings: () => env.settings().acme,
    state: () => env.settings().acmeState,
    async save(settings, next, news) {
      return env.transact({ name: 'acmeOrder', by: 'acme' }, (tx) => {
        if (JSON.stringify(tx.settings.acme) !== JSON.stringify(settings)) return null;
        const acmeState = next(tx.settings.acmeState, tx.now);
        tx.saveSettings({ acmeState });
        if (news) publishNews(tx, news(acmeState));
        return acmeState;
      });
    },
    issuedChain: certificates.issuedChain,
    findCertificateFault: (issued) => certificates.validateIssued(issued)[0]?.message ?? null,
    install: (issued, { targets }) => certificates.install(issued, targets),
    setRunning(order) {
      env.acmeOrder.set(order);
      if (order === null) env.announce();
    },
  };
}

/** The periodic job. */
export async function runAcme(env: AcmeEnv): Promise<void> {
  const host = findAcmeParts(env);
  if (host === null || env.store.diskSpace.isFull()) return;
  await advanceOrders(buildAcmePlace(env, host));
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
