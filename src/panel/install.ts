// `panel install`: the panel as a service of systemd, with its own account, data folder and key file. Each step may be done already, so
// that a second run finishes an interrupted one, or installs another version.

import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { connectControl } from '../adapters/control-socket.ts';
import { hasPanel } from '../adapters/data-folder.ts';
import {
  findInstallation,
  type Installation,
  readPointer,
  startTrial,
  versionFolder,
  writePointer,
} from '../adapters/installation.ts';
import { readIfThere, writePrivateFile } from '../adapters/private-file.ts';
import { describeSystemError, refusal } from '../adapters/refusal.ts';
import { findShippedEngine } from '../adapters/shipped-engine.ts';
import {
  actAsOwner,
  makeAccount,
  removeService,
  requireServiceHost,
  type ServiceHost,
  startService,
  stateFolder,
  step,
  thisHost,
  unitFile,
  writeUnit,
} from '../adapters/system-service.ts';
import { keyFileLocation } from '../adapters/vault/key-file.ts';
import { newMasterKey } from '../adapters/vault/master-key.ts';
import { parseOwnJson } from '../domain/own-json.ts';
import type { Addresses, CommandArgs, CommandName, CommandResult } from './local-commands.ts';

const NAME = 'gatehouse';
const TRIAL_SECONDS = 60;
const START_MS = 120_000;
const RETRY_MS = 200;

export interface InstallPlaces {
  /** The folder to which a release is copied. */
  readonly program: string;
  readonly data: string;
  /** The folder of the key file and of the installation's options. */
  readonly settings: string;
  /** Path of the link to the program. */
  readonly command: string;
}

export const PLACES: InstallPlaces = {
  program: '/opt/gatehouse',
  data: stateFolder(NAME),
  settings: '/etc/gatehouse',
  command: '/usr/local/bin/panel',
};

const keyFile = ({ settings }: InstallPlaces) => join(settings, 'key');

const reachFile = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('loopback') }),
  z.strictObject({ mode: z.literal('domain'), domain: z.string() }),
  z.strictObject({ mode: z.literal('proxy'), publicUrl: z.string() }),
]);
/** How the panel is reached: only from this machine, by its own public name, or by a reverse proxy on this machine. */
export type Reach = z.output<typeof reachFile>;

/** The options of an earlier run; without one, a panel for this machine only. */
export function readReach({ settings }: InstallPlaces = PLACES): Reach {
  const text = readIfThere(join(settings, 'install.json'));
  try {
    return text === null ? { mode: 'loopback' } : reachFile.parse(parseOwnJson(text));
  } catch {
    throw refusal(
      'refused',
      `${join(settings, 'install.json')} is damaged. Remove it, and name --domain or --http again.`,
    );
  }
}

function buildServeOptions(reach: Reach): readonly string[] {
  switch (reach.mode) {
    case 'loopback':
      return ['--host', '127.0.0.1'];
    case 'domain':
      return ['--host', '0.0.0.0', '--port', '443', '--public-url', `https://${reach.domain}`];
    case 'proxy':
      return ['--host', '127.0.0.1', '--http', '--public-url', reach.publicUrl, '--trusted-proxy', '127.0.0.1', '::1'];
  }
}

export function writePanelUnit(reach: Reach, program: readonly string[], places: InstallPlaces = PLACES): string {
  return writeUnit({
    name: NAME,
    description: 'Gatehouse panel',
    writer: 'panel install',
    program,
    args: ['serve', '--data', places.data, '--key-file', keyFile(places), ...buildServeOptions(reach)],
    service: [
      '# The addresses that it prints are secret.',
      'StandardOutput=null',
      '# Refused, or its folder or database cannot be used: another start changes nothing.',
      'RestartPreventExitStatus=2 3 4 6',
      '# Updates put other versions beside the present one.',
      `ReadWritePaths=-${places.program}`,
    ],
  });
}

export type InstallStep = 'account' | 'program' | 'key' | 'service' | 'wait';

export interface InstalledPanel {
  readonly addresses: Addresses;
  /** Whether an engine is shipped with the panel. */
  readonly hasEngine: boolean;
}

export async function installPanel(
  reach: Reach,
  reportStep: (step: InstallStep) => void,
  machine: ServiceHost = thisHost,
  places: InstallPlaces = PLACES,
): Promise<InstalledPanel> {
  requireServiceHost(machine, 'panel serve');
  const installation = findInstallation();
  // Before anything is created: refuses a program in a home folder.
  if (installation === null) writePanelUnit(reach, machine.self(), places);
  reportStep('account');
  makeAccount(machine, NAME);
  reportStep('program');
  const program = placeProgram(installation, machine, places);
  const command = ['--reuid', NAME, '--regid', NAME, '--init-groups', ...program, '--version'];
  step(`Starting ${program.join(' ')} as ${NAME}`, () => machine.run('setpriv', ...command));
  linkCommand(program, places);
  reportStep('key');
  await placeKey(machine, places);
  step(`Writing into ${places.settings}`, () =>
    writePrivateFile(join(places.settings, 'install.json'), `${JSON.stringify(reach)}\n`),
  );
  reportStep('service');
  startService(machine, NAME, writePanelUnit(reach, program, places));
  reportStep('wait');
  return { addresses: await waitForPanel(installation, places), hasEngine: (await findShippedEngine()) !== null };
}

/** Copies a release to its place; any other program runs from where it is. */
function placeProgram(installation: Installation | null, machine: ServiceHost, { program }: InstallPlaces) {
  if (installation === null) return machine.self();
  step(`Copying into ${program}`, () => copyInstallation(installation, program));
  step(`Giving ${program} to ${NAME}`, () => machine.run('chown', '-R', `${NAME}:${NAME}`, program));
  return [join(program, 'panel')];
}

/** Another version than the present one starts on trial, as after `panel update`. */
export function copyInstallation({ root, version }: Installation, target: string): void {
  if (existsSync(target) && realpathSync(target) === realpathSync(root)) return;
  mkdirSync(join(target, 'versions'), { recursive: true, mode: 0o755 });
  const place = versionFolder(target, version);
  if (!existsSync(place)) {
    const staging = join(target, 'versions', '.copying');
    rmSync(staging, { recursive: true, force: true });
    cpSync(versionFolder(root, version), staging, { recursive: true });
    renameSync(staging, place);
  }
  cpSync(join(root, 'panel'), join(target, 'panel.new'));
  renameSync(join(target, 'panel.new'), join(target, 'panel'));
  const pointer = readPointer(target);
  if (pointer === null) writePointer(target, { version, trial: null });
  else if (pointer.version !== version) startTrial(target, version, pointer.version, TRIAL_SECONDS);
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

/** Existing files are not replaced: npm may have put one there. */
function linkCommand(program: readonly string[], { command }: InstallPlaces): void {
  const target = program.at(-1) ?? '';
  if (lstatSync(command, { throwIfNoEntry: false }) !== undefined) return;
  step(`Linking ${command}`, () => symlinkSync(target, command));
}

async function placeKey(machine: ServiceHost, places: InstallPlaces): Promise<void> {
  const path = keyFile(places);
  step(`Making ${places.settings}`, () => {
    mkdirSync(places.settings, { recursive: true });
    // Independent of the umask: the service must be able to read the key in this folder.
    chmodSync(places.settings, 0o755);
  });
  if (!existsSync(path)) {
    const made = await keyFileLocation(path, places.data).make(newMasterKey());
    if (made.kind !== 'key') {
      throw refusal('refused', `Making ${path} failed: ${'detail' in made ? made.detail : 'it is empty'}`);
    }
  }
  step(`Giving ${path} to ${NAME}`, () => machine.run('chown', `${NAME}:${NAME}`, path));
}

/** Runs a command in the panel of the service; null: it does not answer. */
export async function callService<Name extends CommandName>(
  name: Name,
  args: CommandArgs<Name>,
  { data }: InstallPlaces = PLACES,
): Promise<CommandResult<Name> | null> {
  const client = existsSync(data) ? await connectControl(data) : null;
  return client ? (client.callPanel(name, args).finally(client.close) as Promise<CommandResult<Name>>) : null;
}

async function waitForPanel(installation: Installation | null, places: InstallPlaces): Promise<Addresses> {
  const isOnTrial = () => installation !== null && (readPointer(places.program)?.trial ?? null) !== null;
  for (let waited = 0; waited < START_MS; waited += RETRY_MS) {
    const addresses = isOnTrial() ? null : await callService('addresses', {}, places);
    if (addresses !== null) {
      const version = installation && readPointer(places.program)?.version;
      if (installation === null || version === installation.version) return addresses;
      throw refusal('refused', `Version ${installation.version} did not come up: version ${version} runs again.`);
    }
    await wait(RETRY_MS);
  }
  throw refusal(
    'refused',
    `The service does not answer. \`journalctl -u ${NAME}\` says why; then run this command again.`,
  );
}

/** Lists what to remove; data only on request. */
export function uninstallPanel(
  isPurge: boolean,
  machine: ServiceHost = thisHost,
  places: InstallPlaces = PLACES,
): void {
  requireServiceHost(machine, 'panel serve');
  const isThere = existsSync(unitFile(machine, NAME)) || existsSync(places.program) || hasPanel(places.data);
  if (!isThere) throw refusal('refused', 'The panel is not installed as a service.');
  removeService(machine, NAME);
  if (isLink(places.command) && isOwn(readlinkSync(places.command), places, machine)) rmSync(places.command);
  if (isPurge) {
    rmSync(places.data, { recursive: true, force: true });
    rmSync(places.settings, { recursive: true, force: true });
    removeAccount(machine);
  }
  // Removed last: this command may run from there.
  if (existsSync(join(places.program, 'current'))) rmSync(places.program, { recursive: true });
}

const isOwn = (target: string, { program }: InstallPlaces, { self }: ServiceHost) =>
  [join(program, 'panel'), self().at(-1)].includes(target);

function removeAccount(machine: ServiceHost): void {
  try {
    machine.run('userdel', NAME);
  } catch (error) {
    throw refusal('refused', `Removing its account failed: ${describeSystemError(error)}`);
  }
}

/** For commands that root runs on a machine with the service: makes them use the service's panel and account. */
export function actForService(places: InstallPlaces = PLACES): void {
  if (!existsSync(join(places.settings, 'install.json')) || !existsSync(places.data)) return;
  process.env.GATEHOUSE_DATA = places.data;
  process.env.GATEHOUSE_KEY_FILE ??= keyFile(places);
  actAsOwner(places.data);
}
