// Everything that is done with a secret, rightly and wrongly: what was used, to be looked for afterwards.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOTP } from 'otpauth';
import { expect } from 'vitest';
import { issueAuthority, issueLeaf } from '../../src/adapters/certificates/issuer.ts';
import { openBotApi } from '../support/bot-api.ts';
import type { Answer } from '../support/http-client.ts';
import { openStars } from '../support/providers/stars.ts';
import type { Canary, CanaryKind } from './canary.ts';
import type { WatchedPanel } from './canary-panel.ts';

const DAY = 86_400_000;
const PASSWORD = 'canary-first-password-Zq81';
const NEW_PASSWORD = 'canary-second-password-Vw47';
const WRONG_PASSWORD = 'canary-wrong-password-Hj39';
const PASSPHRASE = 'canary-backup-passphrase-Kd62';
const WRONG_PASSPHRASE = 'canary-wrong-passphrase-Bn15';
const SCHEDULED_PASSPHRASE = 'canary-scheduled-passphrase-Xm94';

/** What the flows leave behind. */
export interface Driven {
  readonly canaries: readonly Canary[];
  readonly fullKey: string;
  /** Files of backups, by what they are. */
  readonly backups: { readonly clear: string; readonly encrypted: string };
}

/** A success; the body. */
async function done<T extends Readonly<Record<string, unknown>>>(answer: Promise<Answer<T>>): Promise<T> {
  const { status, text } = await answer;
  expect(status, text).toBeLessThan(300);
  return (text === '' ? {} : JSON.parse(text)) as T;
}

async function refusedWith(status: number, answer: Promise<Answer>): Promise<void> {
  const { status: found, text } = await answer;
  expect(found, text).toBe(status);
}

export async function drive(panel: WatchedPanel): Promise<Driven> {
  const canaries: Canary[] = [];
  const recordCanary = (name: string, value: unknown, kind: CanaryKind) => {
    expect(String(value).length, name).toBeGreaterThan(5);
    canaries.push({ name, value: String(value), kind });
    return String(value);
  };
  await account(panel, recordCanary);
  const fullKey = await keys(panel, recordCanary);
  await webhooks(panel, recordCanary);
  await providers(panel, recordCanary);
  await telegram(panel, recordCanary);
  await users(panel, recordCanary, fullKey);
  await connections(panel, recordCanary, fullKey);
  await certificates(panel, recordCanary);
  const backups = await makeBackups(panel, recordCanary);
  await addresses(panel, recordCanary);
  const codes = await secondFactor(panel, recordCanary);
  const restored = { password: NEW_PASSWORD, name: backups.encryptedName };
  await refusedWith(409, panel.operate('restoreBackup', { ...restored, passphrase: WRONG_PASSPHRASE, code: codes[2] }));
  await refusedWith(403, panel.operate('restoreBackup', { ...restored, password: WRONG_PASSWORD, code: codes[3] }));
  await done(panel.operate('restoreBackup', { ...restored, passphrase: PASSPHRASE, code: codes[4] }));
  return { canaries, fullKey, backups };
}

type Note = (name: string, value: unknown, kind: CanaryKind) => string;

async function account(panel: WatchedPanel, recordCanary: Note): Promise<void> {
  const recordSession = (name: string) => {
    const [cookieHalf, pageHalf] = panel.session();
    recordCanary(`${name}: the half in the cookie`, cookieHalf, 'proved');
    recordCanary(`${name}: the half of the page`, pageHalf, 'proved');
  };
  const token = recordCanary('setup token', panel.serving.setupUrl?.split('/').at(-1), 'proved');
  recordCanary('password', PASSWORD, 'proved');
  recordCanary('new password', NEW_PASSWORD, 'proved');
  recordCanary('wrong password', WRONG_PASSWORD, 'proved');
  recordCanary('secret path', panel.at.base.split('/').at(-3), 'kept');
  await refusedWith(404, panel.operate('setUp', { token: `${token}x`, name: 'admin', password: PASSWORD }));
  await refusedWith(422, panel.operate('setUp', { token, name: '', password: PASSWORD }));
  await done(panel.operate('setUp', { token, name: 'admin', password: PASSWORD }));
  await refusedWith(409, panel.operate('setUp', { token, name: 'admin', password: PASSWORD }));
  recordSession('session');
  await refusedWith(401, panel.operate('signIn', { name: 'admin', password: WRONG_PASSWORD }));
  await refusedWith(401, panel.operate('signIn', { name: PASSWORD, password: 'admin' }));
  await done(panel.operate('signIn', { name: 'admin', password: PASSWORD }));
  recordSession('second session');
  const changed = { password: PASSWORD, new_password: NEW_PASSWORD };
  await refusedWith(403, panel.operate('changePassword', { ...changed, password: WRONG_PASSWORD }));
  await refusedWith(422, panel.operate('changePassword', { ...changed, new_password: PASSWORD.repeat(100) }));
  await done(panel.operate('changePassword', changed));
  recordSession('session after the change');
}

async function keys(panel: WatchedPanel, recordCanary: Note): Promise<string> {
  const make = (name: string, access: string) =>
    done(panel.operate('createKey', { name, access, password: NEW_PASSWORD }));
  await refusedWith(403, panel.operate('createKey', { name: 'bot', access: 'full', password: WRONG_PASSWORD }));
  const full = recordCanary('full key', (await make('bot', 'full')).value, 'proved');
  const read = recordCanary('read key', (await make('reader', 'read')).value, 'proved');
  const revoked = recordCanary('revoked key', (await make('gone', 'full')).value, 'proved');
  await done(panel.operate('revokeKey', { id: 3 }));
  await refusedWith(401, panel.send({ method: 'GET', path: '/users' }, revoked));
  await refusedWith(401, panel.send({ method: 'GET', path: '/users' }, `${full.slice(0, -1)}_`));
  await refusedWith(403, panel.send({ method: 'DELETE', path: '/users/1' }, read));
  const added = await panel.run(['key', 'add', '--name', 'cli', '--access', 'read'], `${NEW_PASSWORD}\n`);
  recordCanary("command line's key", added.stdout.trim(), 'proved');
  expect((await panel.run(['key', 'add', '--name', 'no', '--access', 'read'], `${WRONG_PASSWORD}\n`)).code).not.toBe(0);
  return full;
}

/** One that nothing answers, so that every event is tried and fails. */
async function webhooks(panel: WatchedPanel, recordCanary: Note): Promise<void> {
  const url = 'http://127.0.0.1:9/';
  const given = { url, types: null, allow_private: true };
  const withName = recordCanary('password in a URL', 'canary-url-password-Rt58', 'proved');
  const wrong = { ...given, password: NEW_PASSWORD, url: `https://bot:${withName}@example.com/` };
  await refusedWith(422, panel.operate('createWebhook', wrong));
  await refusedWith(403, panel.operate('createWebhook', { ...given, password: WRONG_PASSWORD }));
  const made = await done(panel.operate('createWebhook', { ...given, password: NEW_PASSWORD }));
  recordCanary('former webhook secret', made.secret, 'sealed');
  await refusedWith(403, panel.operate('rotateWebhookSecret', { id: 1, password: WRONG_PASSWORD }));
  const rotated = await done(panel.operate('rotateWebhookSecret', { id: 1, password: NEW_PASSWORD }));
  recordCanary('webhook secret', rotated.secret, 'sealed');
  await done(panel.operate('testWebhook', { id: 1 }));
}

/** One that the provider knows, one that it does not, and both where it fails. */
async function providers(panel: WatchedPanel, recordCanary: Note): Promise<void> {
  await using fake = await openStars();
  const token = recordCanary('token of a bot', fake.fields.bot_token, 'sealed');
  const wrong = recordCanary('wrong token of a bot', '7654321:AAcanary-unknown-to-the-api', 'proved');
  const account = { kind: 'stars', name: 'Stars', api_root: fake.root, allow_private: true, password: NEW_PASSWORD };
  await refusedWith(422, panel.operate('createProvider', { ...account, fields: { bot_token: wrong } }));
  await refusedWith(422, panel.operate('createProvider', { ...account, fields: { bot_token: `${wrong} ` } }));
  const given = { ...account, fields: { bot_token: token } };
  await refusedWith(403, panel.operate('createProvider', { ...given, password: WRONG_PASSWORD }));
  await done(panel.operate('createProvider', given));
  fake.fail('getMe', 'down');
  await done(panel.operate('testProvider', { id: 1 }));
  await refusedWith(
    422,
    panel.operate('changeProvider', { id: 1, api_root: 'http://127.0.0.1:9', password: NEW_PASSWORD }),
  );
}

/** A bot whose API refuses, fails and is gone in the end, so that each request with the token in its address fails once. */
async function telegram(panel: WatchedPanel, recordCanary: Note): Promise<void> {
  await using fake = await openBotApi();
  const token = recordCanary('token of the bot', fake.token, 'sealed');
  const wrong = recordCanary('wrong token of the bot', '7654321:AAcanary-unknown-Lp27', 'proved');
  const proxy = recordCanary('password of the proxy', 'canary-proxy-Rt58', 'proved');
  const given = { api_root: fake.root, allow_private: true, password: NEW_PASSWORD };
  await refusedWith(422, panel.operate('saveBot', { ...given, token: wrong }));
  await refusedWith(422, panel.operate('saveBot', { ...given, token, proxy: `http://anna:${proxy}@127.0.0.1:9` }));
  await refusedWith(422, panel.operate('saveBot', { ...given, token, proxy: `socks5://anna:${proxy}@127.0.0.1:9` }));
  await done(panel.operate('saveBot', { ...given, token }));
  fake.fail('getMe', 'garbage', 'cut', 'redirect');
  for (let round = 0; round < 3; round += 1) await done(panel.operate('testBot', {}));
  await done(panel.operate('enableBot', { enabled: false }));
  await fake[Symbol.asyncDispose]();
  await done(panel.operate('testBot', {}));
}

const asJson = (method: string, path: string, body: object) => ({
  method,
  path,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

async function users(panel: WatchedPanel, recordCanary: Note, key: string): Promise<void> {
  const api = async (method: string, path: string, body: object) =>
    done(panel.send(asJson(method, path, body), key) as Promise<Answer<Record<string, unknown>>>);
  await api('POST', '/tariffs', { name: 'Plan' });
  const { sub_url } = await api('POST', '/users', { name: 'Anna', tariff_id: 1 });
  const former = recordCanary('former link', String(sub_url).split('/').at(-1), 'proved');
  const reissued = await api('POST', '/users/1/reissue', {});
  const token = recordCanary('link', String(reissued.sub_url).split('/').at(-1), 'kept');
  expect((await panel.send({ method: 'GET', path: `${panel.at.origin}/sub/${token}?format=plain` })).status).toBe(200);
  await refusedWith(404, panel.send({ method: 'GET', path: `${panel.at.origin}/sub/${former}` }));
}

async function connections(panel: WatchedPanel, recordCanary: Note, key: string): Promise<void> {
  await done(panel.operate('createNode', { name: 'Node', address: 'n.example' }));
  const pair = await done(panel.operate('makeRealityKeys'));
  const other = await done(panel.operate('makeRealityKeys'));
  const privateKey = recordCanary('REALITY key', pair.private_key, 'sealed');
  const halves = await done(panel.operate('makeVlessEncryption', { authentication: 'mlkem768', appearance: 'native' }));
  const seeds = await done(panel.operate('makeMldsa65'));
  recordCanary('key of VLESS encryption', String(halves.decryption).split('.').at(-1), 'sealed');
  recordCanary('seed of ML-DSA-65', seeds.mldsa65_seed, 'sealed');
  const foreign = recordCanary('REALITY key that does not fit', other.private_key, 'sealed');
  const inbound = {
    node_id: 1,
    tag: 'r',
    name: 'R',
    protocol: 'vless',
    security: 'reality',
    port: 443,
    sni: 'a.example',
  };
  const made = { ...inbound, private_key: privateKey, decryption: halves.decryption, mldsa65_seed: seeds.mldsa65_seed };
  await refusedWith(422, panel.send(asJson('POST', '/inbounds', { ...made, private_key: `${privateKey}A` }), key));
  await refusedWith(422, panel.send(asJson('POST', '/inbounds', { ...inbound, sni: [privateKey] }), key));
  const answer = await panel.send(asJson('POST', '/inbounds', made), key);
  expect([answer.status, JSON.parse(answer.text).has_private_key]).toEqual([201, true]);
  const mismatched = { private_key: foreign, public_key: pair.public_key };
  await refusedWith(422, panel.send(asJson('PATCH', '/inbounds/1', mismatched), key));
  // What the vault has is in use: the link of a user carries its public half.
  const { sub_url } = JSON.parse((await panel.send({ method: 'GET', path: '/users/1' }, key)).text);
  const { text } = await panel.send({ method: 'GET', path: `${sub_url}?format=plain` });
  expect(text).toContain(String(pair.public_key));
  recordCanary("user's id on the servers", /vless:\/\/([0-9a-f-]{36})@/.exec(text)?.[1], 'kept');
}

async function certificates(panel: WatchedPanel, recordCanary: Note): Promise<void> {
  const validity = { from: Date.now() - DAY, to: Date.now() + 90 * DAY };
  const authority = await issueAuthority(validity);
  const leaf = await issueLeaf(authority, ['127.0.0.1'], validity);
  const other = await issueLeaf(authority, ['127.0.0.1'], validity);
  const getFirstLine = (pem: string) => pem.split('\n')[1];
  recordCanary('TLS key', getFirstLine(leaf.key), 'sealed');
  recordCanary('TLS key that was refused', getFirstLine(other.key), 'proved');
  const given = { password: NEW_PASSWORD, target: 'links', certificate: leaf.pem };
  await refusedWith(422, panel.operate('importCertificate', { ...given, private_key: other.key }));
  await refusedWith(422, panel.operate('importCertificate', { ...given, private_key: other.key.slice(0, -80) }));
  await refusedWith(422, panel.operate('importCertificate', { ...given, certificate: other.key, private_key: '' }));
  await done(panel.operate('importCertificate', { ...given, private_key: leaf.key }));
  await without(panel, 'tls', () =>
    refusedWith(500, panel.operate('importCertificate', { ...given, private_key: leaf.key })),
  );
}

/** While a folder of the panel is none: a defect, which is logged with all that is known of it. */
async function without(panel: WatchedPanel, name: string, act: () => Promise<void>): Promise<void> {
  const path = join(panel.folder, name);
  renameSync(path, `${path}-aside`);
  writeFileSync(path, '');
  await act();
  rmSync(path);
  renameSync(`${path}-aside`, path);
}

/** One that is stored and used, one whose server cannot be reached, and one whose credentials are malformed. */
async function addPlaces(panel: WatchedPanel, recordCanary: Note) {
  const passphrase = recordCanary('passphrase of a place', 'canary passphrase of a place', 'sealed');
  const secret = recordCanary('secret key of a place', 'canary-secret-key-Jv61', 'proved');
  const loginPassword = recordCanary('password of a place', 'canary-sftp-password-Wm20', 'proved');
  const folder = join(panel.folder, '..', 'canary-place');
  mkdirSync(folder, { recursive: true });
  const disk = { kind: 'folder', name: 'Disk', fields: { path: folder }, passphrase, password: NEW_PASSWORD };
  const { id } = await done(panel.operate('createBackupPlace', disk));
  await done(panel.operate('backUpToPlace', { id }));
  const rest = { passphrase, allow_private: true, password: NEW_PASSWORD };
  const keys = { access_key_id: 'GK1', secret_access_key: secret };
  const s3 = {
    kind: 's3',
    name: 'S3',
    fields: { endpoint: 'http://127.0.0.1:9', bucket: 'backups', ...keys },
    ...rest,
  };
  await refusedWith(409, panel.operate('createBackupPlace', s3));
  const sftp = {
    kind: 'sftp',
    name: 'SFTP',
    fields: { host: '127.0.0.1', port: '9', user: 'u', sftp_password: loginPassword },
  };
  await refusedWith(409, panel.operate('createBackupPlace', { ...sftp, ...rest }));
  await refusedWith(
    422,
    panel.operate('createBackupPlace', { ...sftp, ...rest, fields: { ...sftp.fields, port: loginPassword } }),
  );
  expect((await panel.run(['backup', '--to', 'Disk'], '')).code).toBe(0);
}

async function makeBackups(panel: WatchedPanel, recordCanary: Note) {
  recordCanary('passphrase of a backup', PASSPHRASE, 'proved');
  recordCanary('wrong passphrase', WRONG_PASSPHRASE, 'proved');
  recordCanary('passphrase of the schedule', SCHEDULED_PASSPHRASE, 'sealed');
  const schedule = { every_hours: 24, keep: 3, passphrase: SCHEDULED_PASSPHRASE };
  await refusedWith(422, panel.operate('scheduleBackups', { ...schedule, keep: SCHEDULED_PASSPHRASE }));
  expect((await done(panel.operate('scheduleBackups', schedule))).encrypted).toBe(true);
  await addPlaces(panel, recordCanary);
  const clear = String((await done(panel.operate('createBackup'))).name);
  const encryptedName = String((await done(panel.operate('createBackup', { passphrase: PASSPHRASE }))).name);
  const wrong = await done(panel.operate('checkBackup', { name: encryptedName, passphrase: WRONG_PASSPHRASE }));
  expect(wrong.problem).toBe('wrong_passphrase');
  await refusedWith(422, panel.operate('checkBackup', { name: PASSPHRASE }));
  await without(panel, 'backups', () => refusedWith(500, panel.operate('createBackup', { passphrase: PASSPHRASE })));
  const encrypted = join(panel.folder, 'backups', encryptedName);
  const restore = ['restore', encrypted, '--check', '--passphrase-stdin'];
  expect((await panel.run(restore, `${WRONG_PASSPHRASE}\n`)).code).not.toBe(0);
  expect((await panel.run(restore, `${PASSPHRASE}\n`)).code).toBe(0);
  return { clear: join(panel.folder, 'backups', clear), encrypted, encryptedName };
}

async function addresses(panel: WatchedPanel, recordCanary: Note): Promise<void> {
  const former = panel.at.base;
  await refusedWith(403, panel.operate('rotateSecretPath', { password: WRONG_PASSWORD }));
  panel.at.base = String((await done(panel.operate('rotateSecretPath', { password: NEW_PASSWORD }))).base_url);
  recordCanary('new secret path', panel.at.base.split('/').at(-3), 'kept');
  await refusedWith(404, panel.send({ method: 'GET', path: `${former}/users` }));
  const path = panel.at.base.split('/').at(-3);
  await refusedWith(422, panel.operate('changeAddresses', { password: NEW_PASSWORD, sub_path: path }));
}

/** Turns the second factor on; the recovery codes that are left. */
async function secondFactor(panel: WatchedPanel, recordCanary: Note): Promise<readonly string[]> {
  await refusedWith(403, panel.operate('beginTwoFactor', { password: WRONG_PASSWORD }));
  const { secret } = await done(panel.operate('beginTwoFactor', { password: NEW_PASSWORD }));
  const totp = new TOTP({ secret: recordCanary('TOTP secret', secret, 'sealed') });
  const codeAt = (steps: number) => totp.generate({ timestamp: Date.now() + steps * 30_000 });
  await refusedWith(
    403,
    panel.operate('confirmTwoFactor', { code: recordCanary('wrong TOTP code', '000417', 'code') }),
  );
  const first = recordCanary('TOTP code', codeAt(0), 'code');
  const confirmed = await done(panel.operate('confirmTwoFactor', { code: first }));
  const codes = (confirmed.recovery_codes as string[]).map((code, index) =>
    recordCanary(`recovery code ${index + 1}`, code, 'proved'),
  );
  const signIn = { name: 'admin', password: NEW_PASSWORD };
  await refusedWith(401, panel.operate('signIn', { ...signIn, code: first }));
  await done(panel.operate('signIn', { ...signIn, code: recordCanary('second TOTP code', codeAt(1), 'code') }));
  await refusedWith(422, panel.operate('signIn', { ...signIn, code: (codes[0] ?? '').repeat(20) }));
  await done(panel.operate('createKey', { name: 'coded', access: 'read', password: NEW_PASSWORD, code: codes[0] }));
  await refusedWith(403, panel.operate('disableTwoFactor', { password: NEW_PASSWORD, code: codes[0] }));
  await done(panel.operate('signIn', { ...signIn, code: codes[1] }));
  return codes;
}
