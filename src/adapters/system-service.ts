// Services of systemd: a sandboxed unit for a program, and the steps that install and remove it.
import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findInstallation } from './installation.ts';
import { describeSystemError, refusal } from './refusal.ts';

/** The machine's functions that the steps use: replaced in tests. */
export interface ServiceHost {
  readonly isRoot: boolean;
  readonly hasSystemd: boolean;
  /** The folder of units. */
  readonly units: string;
  /** The command that starts this program. */
  readonly self: () => readonly string[];
  /** Throws if the command fails. */
  run(program: string, ...args: readonly string[]): void;
}

export const thisHost: ServiceHost = {
  isRoot: process.getuid?.() === 0,
  hasSystemd: existsSync('/run/systemd/system'),
  units: '/etc/systemd/system',
  self: findSelf,
  run: (program, ...args) => void execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] }),
};

export interface Service {
  /** Also the name of its account. */
  readonly name: string;
  readonly description: string;
  /** The command that prints its unit. */
  readonly writer: string;
  readonly program: readonly string[];
  readonly args: readonly string[];
  /** Another program that the service starts. */
  readonly starts?: string | undefined;
  /** Further lines of the sections Unit and Service. */
  readonly unit?: readonly string[];
  readonly service: readonly string[];
}

export const stateFolder = (name: string) => `/var/lib/${name}`;

/** Home folders and temporary files, which a sandboxed service does not see. */
const HIDDEN = /^\/(?:home|root|run\/user|tmp|var\/tmp)\//;

/** The command that starts this program: for a release its launcher, whose path stays the same over updates. */
export function findSelf(): readonly string[] {
  const installation = findInstallation();
  return installation ? [join(installation.root, 'panel')] : [process.execPath, realpathSync(process.argv[1] ?? '')];
}

/** Quotes a word for a unit (systemd.service(5), "Command lines"). */
function quote(word: string): string {
  if (/[\n\r\0]/.test(word)) throw refusal('refused', 'A path with a line break cannot be in a unit.');
  const escaped = word.replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /^[\w@%+=:,./$-]+$/.test(escaped) ? escaped : `"${escaped.replace(/["\\]/g, '\\$&')}"`;
}

/**
 * The text of the unit, with all restrictions that the program tolerates (`systemd-analyze security` lists them). Throws a refusal for a
 * path that the service could not see.
 */
export function writeUnit(parts: Service): string {
  const { name, description, writer, program, args, starts = '', unit = [], service } = parts;
  const hidden = [...program, starts].find((path) => HIDDEN.test(path));
  if (hidden !== undefined) {
    throw refusal(
      'refused',
      `${hidden} is where the service cannot see it: home folders and /tmp are hidden from it. Install it into /opt.`,
    );
  }
  return `# Written by \`${writer}\`, which replaces it; changes belong into \`systemctl edit ${name}\`.
[Unit]
Description=${description}
After=network-online.target
Wants=network-online.target
${unit.map((line) => `${line}\n`).join('')}
[Service]
ExecStart=${[...program, ...args].map(quote).join(' ')}
User=${name}
Group=${name}
StateDirectory=${name}
StateDirectoryMode=0700
UMask=0077
# Engines go on, and are adopted by the next start.
KillMode=process
Restart=always
RestartSec=2
${service.map((line) => `${line}\n`).join('')}LimitNOFILE=524288

# Connections may be on ports below 1024, and that is all.
AmbientCapabilities=CAP_NET_BIND_SERVICE
CapabilityBoundingSet=CAP_NET_BIND_SERVICE
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RemoveIPC=yes
LockPersonality=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
`;
}

/** `command`: what the message suggests to start on a machine without systemd. */
export function requireServiceHost({ isRoot, hasSystemd }: ServiceHost, command: string): void {
  if (!hasSystemd) {
    throw refusal('refused', `systemd does not run here: have \`${command}\` started by what starts services here.`);
  }
  if (!isRoot) throw refusal('refused', 'Only root may do that: put sudo before it.');
}

/** Runs a step; throws a refusal that names the step if it fails. */
export function step(what: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw refusal('refused', `${what} failed: ${describeSystemError(error)}`);
  }
}

function hasAccount(machine: ServiceHost, account: string): boolean {
  try {
    machine.run('id', '-u', account);
    return true;
  } catch {
    return false;
  }
}

/** As root: from now on acts as the owner of `folder`, a service's account, so that the service can use the files written there. */
export function actAsOwner(folder: string): void {
  if (process.getuid?.() !== 0 || !existsSync(folder)) return;
  const { uid, gid } = statSync(folder);
  if (uid === 0) return;
  process.setgroups?.([gid]);
  process.setgid?.(gid);
  process.setuid?.(uid);
}

/** Creates the system account. Each step may be done already. */
export function makeAccount(machine: ServiceHost, name: string): void {
  const folder = stateFolder(name);
  const options = [
    '--system',
    '--user-group',
    '--no-create-home',
    '--home-dir',
    folder,
    '--shell',
    '/usr/sbin/nologin',
  ];
  if (!hasAccount(machine, name)) step('Making its account', () => machine.run('useradd', ...options, name));
  step('Making its folder', () => machine.run('install', '-d', '-m', '0700', '-o', name, '-g', name, folder));
}

export const unitFile = (machine: ServiceHost, name: string) => join(machine.units, `${name}.service`);

/** Starts or restarts the service. Returns the path of the unit. */
export function startService(machine: ServiceHost, name: string, unit: string): string {
  const file = unitFile(machine, name);
  step(`Writing ${file}`, () => writeFileSync(file, unit, { mode: 0o644 }));
  step('Loading it', () => machine.run('systemctl', 'daemon-reload'));
  step('Enabling it', () => machine.run('systemctl', 'enable', name));
  step('Starting it', () => machine.run('systemctl', 'restart', name));
  return file;
}

/** Stops the service and removes its unit; false: there is none. */
export function removeService(machine: ServiceHost, name: string): boolean {
  const file = unitFile(machine, name);
  if (!existsSync(file)) return false;
  step('Stopping it', () => machine.run('systemctl', 'disable', '--now', name));
  step(`Removing ${file}`, () => rmSync(file));
  step('Loading what is left', () => machine.run('systemctl', 'daemon-reload'));
  return true;
}
