// Addresses of the panel, changed with proof of who one is; a listening place is kept only once it was reached from there.
import type { Addresses } from '../../contract/addresses.ts';
import type { Input, Output } from '../../contract/table.ts';
import { forgiveAttempts, proveAnew, refuse } from '../access/attempts.ts';
import { acceptCode } from '../access/second-factor.ts';
import type { Call, Reply, Scope } from '../context.ts';
import type { Env } from '../env.ts';
import type { Handlers, Refusal } from '../handler.ts';
import { bodyError, PanelError } from '../panel-error.ts';
import type { AdministratorRow } from '../ports/administrator.ts';
import type { Place } from '../ports/host.ts';
import type { SettingValues } from '../ports/settings.ts';
import { definedOnly, toInstantOrNull, tokenOf } from '../wire.ts';

const TRIAL_MS = 60_000;
const CHECK_EVERY_MS = 1000;
const TOKEN_BYTES = 32;
const SECRET_PATH_BYTES = 24;
const LOCAL_HOSTS: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost']);
const ANY_HOSTS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

function isServedLocally(env: Env, target: 'panel' | 'links'): boolean {
  const served = env.host()?.certificates?.served() ?? [];
  return served.some((certificate) => certificate.target === target && certificate.source === 'local');
}

/** Why phones or other machines will refuse an address as things are. */
function warningsOf(env: Env, settings: SettingValues): Addresses['warnings'] {
  const { host, publicUrl, linksPort } = settings;
  const warnings: Addresses['warnings'] = [];
  const isOwn = isServedLocally(env, linksPort === null ? 'panel' : 'links');
  if (LOCAL_HOSTS.has(host)) warnings.push('only_this_machine');
  if (publicUrl?.startsWith('http:')) warnings.push('public_url_http');
  if (publicUrl?.startsWith('https:') && isOwn) warnings.push('public_url_own_certificate');
  if (publicUrl === null && isOwn) warnings.push('links_own_certificate');
  return warnings;
}

function view(env: Env, settings: SettingValues): Addresses {
  const origin = env.origin();
  return {
    host: settings.host,
    port: settings.port,
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
    confirm_by: toInstantOrNull(env.addresses.trial?.endsAt ?? null),
    warnings: warningsOf(env, settings),
  };
}

/** What a change has opened before its transaction, to be kept or closed again. */
interface Prepared {
  readonly proved: AdministratorRow | null;
  readonly env: Env;
  /** The place under trial; null where it stays. */
  readonly place: Place | null;
  /** Where links were served before this change; undefined where that stays. */
  readonly formerLinks: Place | null | undefined;
}

function linksPlace({ linksPort, linksHost }: Pick<SettingValues, 'linksPort' | 'linksHost'>): Place | null {
  return linksPort === null ? null : { host: linksHost, port: linksPort };
}

function isSamePlace(a: Place | null, b: Place | null): boolean {
  return a?.host === b?.host && a?.port === b?.port;
}

async function prepareChange(input: Input<'changeAddresses'>, call: Call, env: Env): Promise<Prepared> {
  const proved = await proveAnew(input, call, env);
  const settings = env.settings();
  const place = { host: input.host ?? settings.host, port: input.port ?? settings.port };
  const links = linksPlace({
    linksPort: input.links_port === undefined ? settings.linksPort : input.links_port,
    linksHost: input.links_host ?? settings.linksHost,
  });
  const hasMoved = !isSamePlace(place, settings);
  const haveLinksMoved = !isSamePlace(links, linksPlace(settings));
  if (!proved || (!hasMoved && !haveLinksMoved)) return { proved, env, place: null, formerLinks: undefined };
  const host = env.host();
  if (!host || env.addresses.trial) throw new PanelError('unavailable');
  if (links && links.port === place.port)
    throw bodyError('validation', '#/links_port', 'taken', "is the panel's own port");
  if (hasMoved) await host.listeners.tryAt(place);
  try {
    if (haveLinksMoved) await host.listeners.serveLinksAt(links);
  } catch (error) {
    await host.listeners.dropTrial();
    throw error;
  }
  return {
    proved,
    env,
    place: hasMoved ? place : null,
    formerLinks: haveLinksMoved ? linksPlace(settings) : undefined,
  };
}

async function undoChange({ place, formerLinks }: Prepared, env: Env): Promise<void> {
  if (place) await env.host()?.listeners.dropTrial();
  if (formerLinks !== undefined) await env.host()?.listeners.serveLinksAt(formerLinks);
}

function requireApart(secretPath: string, subPath: string): void {
  if (secretPath === subPath) throw bodyError('validation', '#/sub_path', 'taken', 'is the secret path');
}

function originAt(env: Env, { host, port }: Place): string {
  const url = new URL(env.origin());
  if (!ANY_HOSTS.has(host)) url.hostname = host.includes(':') ? `[${host}]` : host;
  url.port = String(port);
  return url.origin;
}

/** Begins to wait for the confirmation and returns its token. Time runs out: everything is as before. */
function beginTrial(env: Env, place: Place, now: number): string {
  const token = tokenOf(env.crypto.randomBytes(TOKEN_BYTES));
  const endsAt = now + TRIAL_MS;
  const stop = env.timers.every(CHECK_EVERY_MS, () => {
    if (env.clock.now() < endsAt) return;
    endTrial(env);
    env
      .host()
      ?.listeners.dropTrial()
      .catch((error: unknown) => {
        env.log.error('trial of an address not ended', { error: String(error) });
      });
  });
  env.addresses.trial = { place, tokenHash: env.crypto.sha256(token), endsAt, stop };
  return token;
}

function endTrial(env: Env): void {
  env.addresses.trial?.stop();
  env.addresses.trial = null;
}

function changeAddresses(input: Input<'changeAddresses'>, scope: Scope, prepared: Prepared): Reply | Refusal {
  const { env, place } = prepared;
  if (!prepared.proved || !acceptCode(scope, input.code)) return refuse(scope);
  forgiveAttempts(scope);
  const asked = definedOnly({
    secretPath: input.secret_path,
    subPath: input.sub_path,
    publicAddress: input.public_address,
    publicUrl: input.public_url,
    hostNames: input.host_names,
    trustedProxies: input.trusted_proxies,
    linksPort: input.links_port,
    linksHost: input.links_host,
  });
  const settings = { ...scope.settings, ...asked };
  requireApart(settings.secretPath, settings.subPath);
  scope.saveSettings(asked);
  const names = [...Object.keys(asked), ...(place ? ['place'] : [])];
  scope.emit('settings.changed', { names });
  // Names only: an address belongs into no log.
  scope.audit('addresses', { changed: names });
  const token = place ? beginTrial(env, place, scope.now) : null;
  const confirmUrl = place && `${originAt(env, place)}/${settings.secretPath}/#/confirm/${token}`;
  const body: Output<'changeAddresses'> = {
    addresses: view(env, settings),
    confirm_url: confirmUrl,
    confirm_token: token,
  };
  return { status: 200, body };
}

async function followNames(_prepared: unknown, env: Env): Promise<void> {
  await env.host()?.certificates?.follow(env.settings());
}

interface Confirmation {
  readonly env: Env;
  readonly place: Place;
}

/** Judges the token and where the call arrived, and moves the panel over. */
async function prepareConfirm(input: Input<'confirmAddresses'>, call: Call, env: Env): Promise<Confirmation> {
  const { trial } = env.addresses;
  const isGood = trial !== null && env.crypto.isEqual(env.crypto.sha256(input.token), trial.tokenHash);
  const host = env.host();
  if (!trial || !isGood || !host || !call.isOnTrial || trial.endsAt <= env.clock.now())
    throw new PanelError('not_found');
  endTrial(env);
  return { env, place: trial.place };
}

function confirmAddresses(_input: Input<'confirmAddresses'>, scope: Scope, { env, place }: Confirmation): Reply {
  scope.saveSettings(place);
  scope.emit('settings.changed', { names: ['place'] });
  scope.audit('addresses', { changed: ['place'], confirmed: true });
  return { status: 200, body: view(env, { ...scope.settings, ...place }) };
}

function rotateSecretPath(input: Input<'rotateSecretPath'>, scope: Scope, prepared: Rotation): Reply | Refusal {
  const { env, proved } = prepared;
  if (!proved || !acceptCode(scope, input.code)) return refuse(scope);
  forgiveAttempts(scope);
  const secretPath = tokenOf(scope.crypto.randomBytes(SECRET_PATH_BYTES));
  scope.saveSettings({ secretPath });
  scope.emit('settings.changed', { names: ['secretPath'] });
  scope.audit('addresses', { changed: ['secretPath'] });
  return { status: 200, body: view(env, { ...scope.settings, secretPath }) };
}

interface Rotation {
  readonly env: Env;
  readonly proved: AdministratorRow | null;
}

async function prepareRotation(input: Input<'rotateSecretPath'>, call: Call, env: Env): Promise<Rotation> {
  return { env, proved: await proveAnew(input, call, env) };
}

/** The handlers; reading needs the environment, as addresses are the host's. */
export function addressHandlers(env: Env) {
  return {
    getAddresses: { read: (_input, scope) => ({ status: 200, body: view(env, scope.settings) }) },
    changeAddresses: { prepare: prepareChange, write: changeAddresses, undo: undoChange, done: followNames },
    confirmAddresses: {
      prepare: prepareConfirm,
      write: confirmAddresses,
      undo: async () => env.host()?.listeners.dropTrial(),
      done: async () => env.host()?.listeners.keepTrial(),
      // Only now is the panel there, and its addresses read so.
      reply: async () => ({ status: 200, body: view(env, env.settings()) }),
    },
    rotateSecretPath: { prepare: prepareRotation, write: rotateSecretPath },
  } satisfies Handlers<'getAddresses' | 'changeAddresses' | 'confirmAddresses' | 'rotateSecretPath'>;
}
