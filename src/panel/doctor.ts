// Checks everything that a panel depends on, and reports problems with advice, without changing anything.
import { X509Certificate } from 'node:crypto';
import { accessSync, constants, existsSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { parseCertificate } from '../adapters/certificates/authority.ts';
import { systemClock } from '../adapters/clock.ts';
import { connectControl } from '../adapters/control-socket.ts';
import { FILES, hasPanel, networkFileSystem } from '../adapters/data-folder.ts';
import { openReserve } from '../adapters/disk-reserve.ts';
import { lockOwner } from '../adapters/instance-lock.ts';
import { readIfThere, SET_ASIDE } from '../adapters/private-file.ts';
import { describeSystemError } from '../adapters/refusal.ts';
import { openVault } from '../adapters/vault/vault.ts';
import { findPresentPath } from '../agent/programs.ts';
import type { Output } from '../contract/table.ts';
import { findLastLeft, LATE_MS } from '../core/backups/place-runs.ts';
import type { Log, Store } from '../core/ports/ports.ts';
import type { SettingValues } from '../core/ports/settings.ts';
import type { Finding, Verdict } from '../domain/finding.ts';
import { startPanelTime } from '../domain/panel-time.ts';
import { findProgram } from '../engines/engine-program.ts';
import { isDatabaseRefusal, quickCheck } from '../store/database.ts';
import { openStore } from '../store/index.ts';
import { openBackupFolder } from './backup/folder.ts';
import type { RunningState } from './local-commands.ts';
import { findKeyFile } from './own-key-file.ts';
import { isPanel } from './owned-folder.ts';
import { readMark } from './role.ts';
import { sealedKey } from './sealed-key.ts';

function finding(check: string, verdict: Verdict, found: string, advice = ''): Finding {
  return { check, verdict, found, advice };
}

const MB = 1_000_000;
const LEAST_FREE = 20 * MB;
const SCARCE_FREE = 500 * MB;
const CONNECT_MS = 3000;
const SILENT: Log = { info() {}, warn() {}, error() {} };

/** All findings about a data folder. `keyFile`: the master key file; null: the keychain. */
export async function examine(
  folder: string,
  { keyFile = null, now = systemClock.now() }: { keyFile?: string | null; now?: number } = {},
): Promise<readonly Finding[]> {
  const usable = checkFolder(folder);
  if (usable.verdict === 'problem') return [usable];
  const database = join(folder, FILES.database);
  const opened = openQuietly(database);
  const findings = [usable, checkDisk(folder), opened.finding];
  const { store } = opened;
  if (!store) return [...findings, await checkEngine(folder, null)];
  try {
    const settings = store.settings.get();
    const running = await callRunning(folder);
    return [
      ...findings,
      checkRole(folder, settings),
      running === null ? checkClock(store, now) : describeClock(running.clock),
      ...checkBackups(folder, store, settings, now),
      ...checkKeys(join(folder, FILES.tls)),
      ...checkAuthority(join(folder, FILES.tls), settings, now),
      ...checkCertificates(join(folder, FILES.tls), now),
      running === null ? await checkPort(folder, settings) : examineRunningPort(running),
      // A given key file is checked itself, since the running panel read its key at its start.
      running === null || keyFile !== null
        ? await checkVault(folder, store, settings, keyFile)
        : examineRunningVault(running, store),
      ...(running === null ? [] : examineIgnoredProxy(running)),
      await checkEngine(folder, store),
    ];
  } finally {
    store.close();
  }
}

function checkFolder(folder: string): Finding {
  const check = 'data folder';
  if (!hasPanel(folder)) {
    return finding(
      check,
      'problem',
      `no panel has run on ${folder}`,
      'Start one with `panel serve`, or name its folder with --data.',
    );
  }
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    return finding(
      check,
      'problem',
      `${folder}: ${describeSystemError(error)}`,
      'Give the folder to the user that runs the panel.',
    );
  }
  const isOpen = process.platform !== 'win32' && (statSync(folder).mode & 0o077) !== 0;
  if (isOpen) return finding(check, 'warning', `${folder} is open to other users`, `Close it: chmod 700 ${folder}`);
  const network = networkFileSystem(folder);
  if (network) {
    return finding(
      check,
      'problem',
      `${folder} is on a network drive (${network})`,
      'Move it to a local disk: SQLite is not safe there.',
    );
  }
  return finding(check, 'ok', folder);
}

/** Whether another panel has taken over the data. */
function checkRole(folder: string, { epoch }: SettingValues): Finding {
  const check = 'role';
  try {
    const mark = readMark(folder);
    if (mark === null || mark < epoch) return finding(check, 'ok', `active, epoch ${epoch}`);
    const advice = 'Use the panel that they were restored to, or run `panel promote --take-back` here.';
    return finding(
      check,
      'problem',
      `read-only: the data were restored elsewhere (epoch ${mark}, here ${epoch})`,
      advice,
    );
  } catch (error) {
    return finding(check, 'problem', describeSystemError(error));
  }
}

/** null: no panel runs on the folder, or it has another version. */
async function callRunning(folder: string): Promise<RunningState | null> {
  const client = await connectControl(folder);
  if (client === null) return null;
  const state = (await client.callPanel('examine', {}).catch(() => null)) as RunningState | null;
  client.close();
  return state;
}

function examineRunningPort({ place }: RunningState): Finding {
  return finding('port', 'ok', place === null ? 'the panel runs' : `the panel serves ${place.host}:${place.port}`);
}

/** The vault of the running panel, whatever options this command has. */
function examineRunningVault({ vault }: RunningState, { sealed }: Store): Finding {
  const count = sealed.all().length;
  if (vault === 'unlocked' || vault === 'headless')
    return finding('secrets', 'ok', `${count} sealed, the key is there`);
  const advice = 'The panel, under Security, says what to do.';
  return finding(
    'secrets',
    count === 0 ? 'warning' : 'problem',
    `${count} sealed; the key's place is ${vault}`,
    advice,
  );
}

function examineIgnoredProxy({ ignored_proxy }: RunningState): readonly Finding[] {
  if (ignored_proxy === null) return [];
  const found = `X-Forwarded-For of ${ignored_proxy} is ignored: all its clients have one address`;
  const remedy = `If that is your reverse proxy, start the panel with --trusted-proxy ${ignored_proxy}.`;
  return [finding('proxy', 'warning', found, remedy)];
}

/** Creates no key. */
async function checkVault(
  dataFolder: string,
  { sealed }: Store,
  { instanceId }: SettingValues,
  given: string | null,
): Promise<Finding> {
  const check = 'secrets';
  const keyFile = findKeyFile(given, instanceId);
  const count = sealed.all().length;
  if (keyFile !== null && !existsSync(keyFile)) {
    return finding(
      check,
      'problem',
      `the key file ${keyFile} is not there`,
      'Bring it back, or correct GATEHOUSE_KEY_FILE.',
    );
  }
  const needed = sealedKey(dataFolder, sealed);
  const vault = await openVault({ instanceId, sealed: needed, keyFile, dataFolder, log: SILENT });
  const state = vault.state();
  const found = `${count} sealed; the key's place is ${state}`;
  if (state === 'unlocked' || state === 'headless') return finding(check, 'ok', `${count} sealed, the key is there`);
  const advice = 'Unlock or start the keychain, or name the key file in GATEHOUSE_KEY_FILE.';
  return finding(check, needed.keyId() === null ? 'warning' : 'problem', found, advice);
}

function checkDisk(folder: string): Finding {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const found = `${Math.floor(free / MB)} MB free`;
  if (openReserve(join(folder, FILES.reserve)).state() === 'broken') {
    const advice = 'Free some space: nothing is changed until there is, but reading and signing in go on.';
    return finding('disk', 'problem', `full, ${found}, and the panel lives on its reserve`, advice);
  }
  if (free < LEAST_FREE)
    return finding('disk', 'problem', found, 'Free some space: writes are refused until there is.');
  if (free < SCARCE_FREE) return finding('disk', 'warning', found, 'Free some space soon; backups need room too.');
  return finding('disk', 'ok', found);
}

function openQuietly(database: string): { readonly finding: Finding; readonly store: Store | null } {
  const check = 'database';
  try {
    const problem = quickCheck(database);
    if (problem !== null) {
      return {
        finding: finding(check, 'problem', `damaged: ${problem}`, 'Stop the panel and restore a backup.'),
        store: null,
      };
    }
    const store = openStore(database, { readonly: true });
    return { finding: finding(check, 'ok', `whole, ${Math.ceil(store.sizeBytes() / MB)} MB`), store };
  } catch (error) {
    const advice = isDatabaseRefusal(error)
      ? adviceFor(error.reason)
      : 'Check who owns the file and whether the disk works.';
    return { finding: finding(check, 'problem', describeSystemError(error), advice), store: null };
  }
}

function adviceFor(reason: string): string {
  if (reason === 'newer')
    return 'Install the newer version of the panel that wrote it, or restore a backup of this version.';
  if (reason === 'outdated') return 'Start the panel once: it brings the database up to date and keeps a backup.';
  if (reason === 'damaged') return 'Stop the panel and restore a backup.';
  return 'Name the right data folder with --data, or restore a backup.';
}

const HOUR = 3_600_000;
const STORE_ELSEWHERE = 'Add a place in the panel, under Backups, or store one with `panel backup --to <place>`.';

/** A panel that was never set up needs no backup. */
function checkBackups(
  folder: string,
  { administrator, bot, backupPlaces }: Pick<Store, 'administrator' | 'bot' | 'backupPlaces'>,
  settings: SettingValues,
  now: number,
): readonly Finding[] {
  if (administrator.get() === undefined) return [];
  const [newest] = openBackupFolder(join(folder, FILES.backups)).list();
  const { backupLast } = settings;
  const leftAt = findLastLeft({ bot }, settings);
  const describeAge = (at: number) => `${Math.floor((now - at) / HOUR)} hours ago`;
  const made =
    backupLast.error !== null
      ? finding(
          'backups',
          'warning',
          `the last scheduled one failed: ${backupLast.error}`,
          'The panel, under Backups, says more.',
        )
      : newest === undefined
        ? finding('backups', 'warning', 'there is none here', 'Make one with `panel backup`.')
        : finding('backups', 'ok', `the newest here was made ${describeAge(newest.createdAt)}`);
  const elsewhere =
    leftAt === null
      ? finding('copy elsewhere', 'warning', 'no backup has left this machine', STORE_ELSEWHERE)
      : now - leftAt > LATE_MS
        ? finding(
            'copy elsewhere',
            'warning',
            `the last backup left this machine ${describeAge(leftAt)}`,
            STORE_ELSEWHERE,
          )
        : finding('copy elsewhere', 'ok', `a backup left this machine ${describeAge(leftAt)}`);
  const failing = backupPlaces.all().flatMap(({ name, error }) => {
    if (error === null) return [];
    return [finding('place of backups', 'warning', `${name} failed: ${error}`, 'Test it in the panel, under Backups.')];
  });
  return [made, elsewhere, ...failing];
}

/** Compares the clock with the last known time, like the next start. */
function checkClock(store: Store, now: number): Finding {
  const { knownAt } = store.settings.get();
  const reading = { machine: now, steady: 0 };
  const time = startPanelTime(reading, knownAt, null);
  const status = {
    doubt: time.state === 'followed' ? null : time.doubt,
    panel_at: new Date(time.offset).toISOString(),
  };
  return describeClock({ ...status, state: time.state, machine_at: new Date(now).toISOString() });
}

function describeClock({ state, doubt, panel_at, machine_at }: Omit<Output<'getClock'>, 'since'>): Finding {
  if (state === 'followed') return finding('clock', 'ok', machine_at);
  const confirm = 'Set the clock right; keep it so with NTP. If it is right: panel doctor --confirm-time.';
  if (state === 'kept')
    return finding(
      'clock',
      'problem',
      `${machine_at} is wrong: others confirm the time of the panel, ${panel_at}`,
      confirm,
    );
  const found = {
    jumped: `it jumped to ${machine_at} while the panel was running, whose time is ${panel_at}`,
    behind: `${machine_at} is before the last known time, ${panel_at}`,
    ahead: `${machine_at} is long after the last known time, ${panel_at}`,
  }[doubt ?? 'jumped'];
  const waits = 'Resets, ends of terms, notices, clean-up, backups and renewals wait.';
  return finding('clock', 'problem', `${found}. ${waits}`, confirm);
}

async function checkPort(folder: string, { host, port }: SettingValues): Promise<Finding> {
  const check = 'port';
  const address = `${host}:${port}`;
  const owner = lockOwner(folder);
  if (isPanel(owner)) {
    const isServed = await acceptsConnection(host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host, port);
    return isServed
      ? finding(check, 'ok', `the panel serves ${address} (process ${owner.pid})`)
      : finding(
          check,
          'warning',
          `a panel runs (process ${owner.pid}), but not at ${address}`,
          'It was started with another --port or --host.',
        );
  }
  const taken = await whyTaken(host, port);
  if (taken === null) return finding(check, 'ok', `${address} is free; the panel is not running`);
  const advice =
    taken === 'EACCES' ? 'Choose a port above 1023.' : 'Stop the other program, or start with another --port.';
  return finding(check, 'problem', `${address} cannot be listened on (${taken})`, advice);
}

function acceptsConnection(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    // Only checks for a TLS listener; its identity does not matter.
    const socket = connect({ host, port, rejectUnauthorized: false, timeout: CONNECT_MS });
    const end = (isServed: boolean) => {
      socket.destroy();
      resolve(isServed);
    };
    socket.once('secureConnect', () => end(true));
    socket.once('error', (error) => end('code' in error && String(error.code).startsWith('ERR_SSL')));
    socket.once('timeout', () => end(false));
  });
}

function whyTaken(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve('code' in error ? String(error.code) : 'unknown'));
    server.listen({ host, port }, () => server.close(() => resolve(null)));
  });
}

const DAY = 86_400_000;
const WARN_DAYS = 30;
const AUTHORITY_WARN_DAYS = 365;
const BY_ACME = 'certificate by ACME';
const ACME_WARN_DAYS = 10;
const CERTIFICATES = [
  ['certificate', 'server.pem'],
  ['imported certificate', 'imported-panel.pem'],
  ['imported certificate for links', 'imported-links.pem'],
  [BY_ACME, 'acme.pem'],
] as const;

function readQuietly(path: string): string | Error | null {
  try {
    return readIfThere(path);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function describeUnreadable(check: string, path: string, error: Error): Finding {
  const advice = 'Make it a file that the user who runs the panel can read: the panel does not start without it.';
  return finding(check, 'problem', `${path}: ${describeSystemError(error)}`, advice);
}

/** Keys that the panel reads at its start; only unreadable ones are findings. */
function checkKeys(folder: string): readonly Finding[] {
  return ['ca-key.pem', 'ca-key.sealed', 'server-key.pem'].flatMap((name) => {
    const path = join(folder, name);
    const text = readQuietly(path);
    return text instanceof Error ? [describeUnreadable('keys', path, text)] : [];
  });
}

/** The panel's own authority; a panel that only used plain HTTP has none. */
function checkAuthority(folder: string, { authority: seen }: SettingValues, now: number): readonly Finding[] {
  const check = 'authority';
  const path = join(folder, 'ca.pem');
  const pem = readQuietly(path);
  if (pem instanceof Error) return [describeUnreadable(check, path, pem)];
  if (pem === null && seen === null) return [];
  const certificate = pem === null ? null : parseCertificate(pem);
  if (certificate === null) {
    const advice = 'Start the panel: it restores the file, or makes a new authority and says so.';
    return [finding(check, 'problem', `${path} is ${pem === null ? 'missing' : 'damaged'}`, advice)];
  }
  const [from, to] = [certificate.validFromDate.getTime(), certificate.validToDate.getTime()];
  const days = Math.floor((to - now) / DAY);
  const findings: Finding[] = [];
  const isAnother = seen !== null && seen.fingerprint !== certificate.fingerprint256;
  if (isAnother || seen?.former) {
    const when = seen?.former ? ` ${formatDay(seen.former.replacedAt)}` : '';
    const advice = `Give ${path} to the clients that trust the former one, then confirm it in the panel, under Certificates.`;
    findings.push(finding(check, 'warning', `replaced${when}${setAsideIn(folder)}`, advice));
  }
  const ends = `ends ${formatDay(to)}, in ${days} days`;
  const replace = 'Make a new one in the panel, under Certificates, and give its file to clients.';
  if (now < from) {
    const advice = 'Set the clock right. If it is, make a new authority in the panel, under Certificates.';
    findings.push(finding(check, 'problem', `is not valid before ${formatDay(from)}`, advice));
  } else if (days < 0) findings.push(finding(check, 'problem', ends, `If the clock is right: ${replace}`));
  else if (days < AUTHORITY_WARN_DAYS) findings.push(finding(check, 'warning', ends, replace));
  return findings.length > 0 ? findings : [finding(check, 'ok', ends)];
}

function formatDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** Names the files that can be restored. */
function setAsideIn(folder: string): string {
  const names = readdirSync(folder).filter((name) => name.startsWith(SET_ASIDE));
  return names.length === 0 ? '' : `; set aside in ${folder}: ${names.join(', ')}`;
}

/** The served certificates of a `tls` folder; none if the panel only used plain HTTP. */
function checkCertificates(folder: string, now: number): readonly Finding[] {
  const findings = CERTIFICATES.flatMap(([check, name]) => {
    const pem = readQuietly(join(folder, name));
    if (pem instanceof Error) return [describeUnreadable(check, join(folder, name), pem)];
    return pem === null ? [] : [checkCertificate(check, pem, now)];
  });
  return findings.length > 0 ? findings : [finding('certificate', 'ok', 'none yet: it is made at the next start')];
}

function checkCertificate(check: string, pem: string, now: number): Finding {
  try {
    const end = new X509Certificate(pem).validToDate.getTime();
    const days = Math.floor((end - now) / DAY);
    const shown = `ends ${formatDay(end)}, in ${days} days`;
    const isOwn = check === 'certificate';
    // Shorter lifetime, renewed automatically when a third is left.
    const warnDays = check === BY_ACME ? ACME_WARN_DAYS : WARN_DAYS;
    const advice = isOwn
      ? 'Start the panel: it makes a new one.'
      : check === BY_ACME
        ? 'The panel, under Certificates, says why it is not renewed.'
        : 'Import a new one in the panel, under Certificates.';
    if (days < 0) return finding(check, 'problem', shown, advice);
    return days < warnDays ? finding(check, 'warning', shown, advice) : finding(check, 'ok', shown);
  } catch {
    const advice =
      check === 'certificate' || check === BY_ACME
        ? 'Start the panel: it makes or orders another.'
        : 'Import it again in the panel, under Certificates; its own is served meanwhile.';
    return finding(check, 'problem', 'is damaged', advice);
  }
}

/** The engine of local nodes; a missing one matters if a local node is enabled. */
async function checkEngine(folder: string, store: Store | null): Promise<Finding> {
  const check = 'engine';
  const given = store?.settings.get().enginePath ?? (await findPresentPath(folder));
  try {
    const { name, version, path } = await findProgram(given);
    return finding(check, 'ok', `${name} ${version} (${path})`);
  } catch (error) {
    const nodes = store?.nodes.page(store.nodes.count(), 0) ?? [];
    const needsOne = nodes.some(({ kind, enabled }) => kind === 'local' && enabled);
    if (!needsOne) return finding(check, 'ok', 'none on this machine, and no local node needs one');
    const advice = 'Install Xray (or v2ray) and put it on PATH, or name its path in the settings.';
    return finding(check, 'problem', error instanceof Error ? error.message : String(error), advice);
  }
}
