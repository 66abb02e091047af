// Addresses of the panel, changed with proof of identity; a new listening address is kept only after a request to it.

import type { Proof } from '../../contract/access/proof.ts';
import type { Addresses } from '../../contract/settings/addresses.ts';
import type { Input, Output } from '../../contract/table.ts';
import { secretBits } from '../../domain/password-strength.ts';
import type { AsyncContext, Env, Handlers, Transaction } from '../kernel/context.ts';
import { bodyError, PanelError, requireAll } from '../kernel/panel-error.ts';
import { changedMembers, patchReader, toInstantOrNull, tokenOf } from '../kernel/wire.ts';
import type { Result } from '../ports/call.ts';
import type { ListenAddress } from '../ports/host.ts';
import type { SettingValues } from '../ports/settings.ts';

type AddressEnv = Pick<
  Env,
  'addressTrial' | 'addressTrialMs' | 'clock' | 'crypto' | 'host' | 'log' | 'origin' | 'settings' | 'timers'
>;

const TRIAL_MS = 60_000;
const CHECK_EVERY_MS = 1000;
const TOKEN_BYTES = 32;
const SECRET_PATH_BYTES = 24;
const LOCAL_HOSTS: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost']);
const ANY_HOSTS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

function isServedLocally(env: Pick<Env, 'host'>, target: 'panel' | 'links'): boolean {
  const served = env.host()?.certificates?.served() ?? [];
  return served.some((certificate) => certificate.target === target && certificate.source === 'local');
}

/** Why other devices would refuse the current address. */
function listWarnings(env: Pick<Env, 'host'>, settings: SettingValues): Addresses['warnings'] {
  const { host, publicUrl, linksPort } = settings;
  const warnings: Addresses['warnings'] = [];
  const isOwn = isServedLocally(env, linksPort === null ? 'panel' : 'links');
  // A public address implies a proxy on this machine.
  if (LOCAL_HOSTS.has(host) && publicUrl === null) warnings.push('only_this_machine');
  if (publicUrl?.startsWith('http:')) warnings.push('public_url_http');
  if (publicUrl?.startsWith('https:') && isOwn) warnings.push('public_url_own_certificate');
  if (publicUrl === null && isOwn) warnings.push('links_own_certificate');
  return warnings;
}

/** The actual listening address, which differs from the stored one if the start overrode it. */
function presentPlace(env: Pick<Env, 'host'>, { host, port }: ListenAddress): ListenAddress {
  return env.host()?.listeners.place() ?? { host, port };
}

function view(env: AddressEnv, settings: SettingValues, place = presentPlace(env, settings)): Addresses {
  const origin = env.origin();
  return {
    host: place.host,
    port: place.port,
    secret_path: settings.secretPath,
    sub_path: settings.subPath,
    public_address: settings.publicAddress,
    public_url: settings.publicUrl,
    host_names: [...settings.hostNames],
    trusted_proxies: [...settings.trustedProxies],
    links_port: settings.linksPort,
    links_host: settings.linksHost,
    base_url: `${origin}/${settings.secretPath}/api/v1`,
    panel_url: `${origin}/${settings.secretPath}/`,
    links_url: `${settings.publicUrl ?? origin}/${settings.subPath}/`,
    confirm_by: toInstantOrNull(env.addressTrial.get()?.endsAt ?? null),
    warnings: listWarnings(env, { ...settings, ...place }),
  };
}

function linksPlace({ linksPort, linksHost }: Pick<SettingValues, 'linksPort' | 'linksHost'>): ListenAddress | null {
  return linksPort === null ? null : { host: linksHost, port: linksPort };
}

function isSamePlace(a: ListenAddress | null, b: ListenAddress | null): boolean {
  return a?.host === b?.host && a?.port === b?.port;
}

/** Listeners moved by a change. */
interface Move {
  /** On trial; null: unchanged. */
  readonly place: ListenAddress | null;
  /** Previous listener of links; undefined: unchanged. */
  readonly formerLinks: ListenAddress | null | undefined;
}

/** Opens the new listeners; a failure changes nothing. */
async function openPlaces(env: AddressEnv, input: Input<'changeAddresses'>): Promise<Move> {
  const settings = env.settings();
  const present = presentPlace(env, settings);
  const place = { host: input.host ?? present.host, port: input.port ?? present.port };
  const links = linksPlace({
    linksPort: input.links_port === undefined ? settings.linksPort : input.links_port,
    linksHost: input.links_host ?? settings.linksHost,
  });
  const formerLinks = linksPlace(settings);
  requireAll(
    () => requireApart(input.secret_path ?? settings.secretPath, input.sub_path ?? settings.subPath),
    () => requireOwnPort(links, place),
  );
  const hasMoved = !isSamePlace(place, present);
  const haveLinksMoved = !isSamePlace(links, formerLinks);
  if (!hasMoved && !haveLinksMoved) return { place: null, formerLinks: undefined };
  const host = env.host();
  // Browsers repeat a request whose connection closed without a reply, as when the old socket closes: the trial gets a new token.
  const waiting = env.addressTrial.get();
  const isRepeated = waiting !== null && isSamePlace(waiting.place, place) && !haveLinksMoved;
  if (!host || (waiting && !isRepeated)) throw new PanelError('unavailable');
  if (host.certificates === null && !LOCAL_HOSTS.has(place.host))
    throw bodyError('validation', '#/host', 'invalid', 'is not this machine, and plain HTTP does not leave it');
  if (hasMoved && !isRepeated) await host.listeners.tryAt(place);
  try {
    if (haveLinksMoved) await host.listeners.serveLinksAt(links);
  } catch (error) {
    await host.listeners.cancelTrial();
    throw error;
  }
  return { place: hasMoved ? place : null, formerLinks: haveLinksMoved ? formerLinks : undefined };
}

async function revertMove(env: Pick<Env, 'addressTrial' | 'host'>, { place, formerLinks }: Move): Promise<void> {
  if (place) {
    env.addressTrial.end();
    await env.host()?.listeners.cancelTrial();
  }
  if (formerLinks !== undefined) await env.host()?.listeners.serveLinksAt(formerLinks);
}

function requireApart(secretPath: string, subPath: string): void {
  if (secretPath === subPath) throw bodyError('validation', '#/sub_path', 'taken', 'is the secret path');
}

const SECRET_PATH_BITS = 128;

/** Only generated paths are accepted, since chosen ones can be guessed. */
function requireSecret(env: Pick<Env, 'settings'>, path: string | undefined): void {
  if (path === undefined || path === env.settings().secretPath || secretBits(path) >= SECRET_PATH_BITS) return;
  throw bodyError('validation', '#/secret_path', 'weak_path', 'is easily guessed: rotateSecretPath makes one');
}

function requireOwnPort(links: ListenAddress | null, place: ListenAddress): void {
  if (links?.port === place.port) throw bodyError('validation', '#/links_port', 'taken', "is the panel's own port");
}

function originAt(env: Pick<Env, 'origin'>, { host, port }: ListenAddress): string {
  const url = new URL(env.origin());
  if (!ANY_HOSTS.has(host)) url.hostname = host.includes(':') ? `[${host}]` : host;
  url.port = String(port);
  return url.origin;
}

/** Starts waiting for the confirmation and returns its token. After the timeout the change is reverted. */
function beginTrial(env: AddressEnv, place: ListenAddress, now: number): string {
  const token = tokenOf(env.crypto.randomBytes(TOKEN_BYTES));
  const endsAt = now + (env.addressTrialMs ?? TRIAL_MS);
  const stop = env.timers.every(CHECK_EVERY_MS, () => {
    if (env.clock.now() < endsAt) return;
    env.addressTrial.end();
    env
      .host()
      ?.listeners.cancelTrial()
      .catch((error: unknown) => {
        env.log.error('trial of an address not ended', { error: String(error) });
      });
  });
  env.addressTrial.begin({ place, tokenHash: env.crypto.sha256(token), endsAt }, stop);
  return token;
}

async function changeAddresses(input: Input<'changeAddresses'>, context: AsyncContext<'changeAddresses'>) {
  const { env, commit } = context;
  requireSecret(env, input.secret_path);
  const move = await openPlaces(env, input);
  const commitChange = () => commit((tx) => saveAddresses(tx, input, move.place));
  const result = await commitChange().catch(async (error: unknown) => {
    await revertMove(env, move);
    throw error;
  });
  // The change is kept even if the certificate fails.
  await env
    .host()
    ?.certificates?.follow(env.settings())
    .catch((error: unknown) => {
      env.log.error('certificate not renewed', { error: String(error) });
    });
  return result;
}

/** The current listener needs no trial, but may not be stored yet if the start overrode the address. */
function pickPlace({ host, port }: Input<'changeAddresses'>): Partial<ListenAddress> {
  return { ...(host !== undefined && { host }), ...(port !== undefined && { port }) };
}

/** Host and port are stored only after the confirmation. */
const toColumns = patchReader<Omit<Input<'changeAddresses'>, keyof Proof | keyof ListenAddress>, SettingValues>({
  secret_path: 'secretPath',
  sub_path: 'subPath',
  public_address: 'publicAddress',
  public_url: 'publicUrl',
  host_names: 'hostNames',
  trusted_proxies: 'trustedProxies',
  links_port: 'linksPort',
  links_host: 'linksHost',
});

function saveAddresses(
  tx: Transaction,
  input: Input<'changeAddresses'>,
  place: ListenAddress | null,
): Result<Output<'changeAddresses'>> {
  const { env } = tx;
  const columns = { ...toColumns(input), ...(place ? {} : pickPlace(input)) };
  const settings = { ...tx.settings, ...columns };
  requireApart(settings.secretPath, settings.subPath);
  tx.saveSettings(columns);
  const changed = changedMembers(view(env, tx.settings), view(env, settings));
  tx.emit('settings.changed', {}, changed);
  const names = [...Object.keys(columns), ...(place ? ['place'] : [])];
  // Names only: addresses must not be logged.
  tx.audit('addresses', { changed: names });
  const token = place ? beginTrial(env, place, tx.now) : null;
  return {
    body: {
      addresses: view(env, settings),
      confirm_url: place && `${originAt(env, place)}/${settings.secretPath}/#/confirm/${token}`,
      confirm_token: token,
    },
  };
}

/** Confirms the tried address, if the token is correct and the call arrived there. */
async function confirmAddresses(input: Input<'confirmAddresses'>, context: AsyncContext<'confirmAddresses'>) {
  const { env, call, commit } = context;
  const trial = env.addressTrial.get();
  const isGood = trial !== null && env.crypto.isEqual(env.crypto.sha256(input.token), trial.tokenHash);
  const host = env.host();
  if (!trial || !isGood || !host || !call.isOnTrial || trial.endsAt <= env.clock.now())
    throw new PanelError('not_found');
  env.addressTrial.end();
  const { place } = trial;
  const commitPlace = () =>
    commit((tx) => {
      tx.saveSettings(place);
      const after = view(env, { ...tx.settings, ...place }, place);
      tx.emit('settings.changed', {}, changedMembers(view(env, tx.settings), after));
      tx.audit('addresses', { changed: ['place'], confirmed: true });
      return { body: after };
    });
  await commitPlace().catch(async (error: unknown) => {
    await host.listeners.cancelTrial();
    throw error;
  });
  await host.listeners.acceptTrial().catch((error: unknown) => {
    env.log.error('former address not closed', { error: String(error) });
  });
  // Read again: the origin has changed.
  return { body: view(env, env.settings()) };
}

async function checkReach(_input: Input<'checkReach'>, { env }: AsyncContext<'checkReach'>) {
  const network = env.host()?.network;
  if (!network) throw new PanelError('unavailable');
  const path = `/${env.settings().secretPath}/api/v1`;
  const probed = await Promise.all(
    network.origins().map(async (origin) => ({ base_url: `${origin}${path}`, outcome: await network.connect(origin) })),
  );
  return { body: { tried: probed } };
}

function rotateSecretPath(_input: Input<'rotateSecretPath'>, tx: Transaction): Result<Addresses> {
  return { body: renewSecretPath(tx) };
}

/** The caller has proven the identity. */
export function renewSecretPath(tx: Transaction): Addresses {
  const secretPath = tokenOf(tx.crypto.randomBytes(SECRET_PATH_BYTES));
  tx.saveSettings({ secretPath });
  const after = view(tx.env, { ...tx.settings, secretPath });
  tx.emit('settings.changed', {}, changedMembers(view(tx.env, tx.settings), after));
  tx.audit('addresses', { changed: ['secretPath'] });
  return after;
}

export const ADDRESS_HANDLERS = {
  getAddresses: { read: (_input, { env, settings }) => ({ body: view(env, settings) }) },
  changeAddresses: { run: changeAddresses },
  confirmAddresses: { run: confirmAddresses },
  rotateSecretPath: { write: rotateSecretPath },
  checkReach: { run: checkReach },
} satisfies Handlers<'getAddresses' | 'changeAddresses' | 'confirmAddresses' | 'rotateSecretPath' | 'checkReach'>;
