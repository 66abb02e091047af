// `panel node run` as a service of systemd: the unit, and what is done to the machine to install it and to take it away.
import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findInstallation } from '../installation.ts';
import { reasonOf, refusal } from '../refusal.ts';

const SERVICE = 'gatehouse-node';
/** Its account, and its folder: what systemd makes of `StateDirectory`. */
const ACCOUNT = SERVICE;
export const SERVICE_FOLDER = `/var/lib/${SERVICE}`;

/** What it does to the machine: replaced in tests. */
export interface ServiceHost {
  readonly isRoot: boolean;
  readonly hasSystemd: boolean;
  /** Where units are. */
  readonly units: string;
  /** Throws where the command fails. */
  run(program: string, ...args: readonly string[]): void;
}

export const thisHost: ServiceHost = {
  isRoot: process.getuid?.() === 0,
  hasSystemd: existsSync('/run/systemd/system'),
  units: '/etc/systemd/system',
  run: (program, ...args) => void execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] }),
};

interface ServiceOptions {
  readonly host?: string | undefined;
  /** The program of the engine; left out: on PATH. */
  readonly enginePath?: string | undefined;
}

/** How a word stands in a unit (systemd.service(5), "Command lines"). */
function quote(word: string): string {
  if (/[\n\r\0]/.test(word)) throw refusal('refused', 'A path with a line break cannot be in a unit.');
  const escaped = word.replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /^[\w@%+=:,./$-]+$/.test(escaped) ? escaped : `"${escaped.replace(/["\\]/g, '\\$&')}"`;
}

/** What starts this very program: of a release its launcher, which stays where it is over updates. */
function findSelf(): readonly string[] {
  const installation = findInstallation();
  return installation ? [join(installation.root, 'panel')] : [process.execPath, realpathSync(process.argv[1] ?? '')];
}

/** The unit. What may be forbidden is: `systemd-analyze security` has the list. */
export function writeUnit({ host, enginePath }: ServiceOptions, program: readonly string[] = findSelf()): string {
  const hidden = [...program, enginePath ?? ''].find((path) => /^\/(home|root|run\/user|tmp|var\/tmp)\//.test(path));
  if (hidden !== undefined) {
    throw refusal(
      'refused',
      `${hidden} is where the service cannot see it: home folders and /tmp are hidden from it. Install it into /opt.`,
    );
  }
  const options = [...(enginePath ? ['--engine', enginePath] : []), ...(host ? ['--host', host] : [])];
  const command = [...program, 'node', 'run', '--data', SERVICE_FOLDER, ...options].map(quote).join(' ');
  return `# Written by \`panel node install\`, which replaces it; changes belong into \`systemctl edit ${SERVICE}\`.
[Unit]
Description=Gatehouse node: serves the engine of this machine to its panel
After=network-online.target
Wants=network-online.target
# Before it is joined there is nothing to serve.
ConditionPathExists=${SERVICE_FOLDER}/node.json

[Service]
ExecStart=${command}
User=${ACCOUNT}
Group=${ACCOUNT}
StateDirectory=${SERVICE}
StateDirectoryMode=0700
UMask=0077
# The engine goes on, and is adopted by the next start.
KillMode=process
Restart=always
RestartSec=2
# Refused, or its folder cannot be used: another start changes nothing.
RestartPreventExitStatus=2 3 4
LimitNOFILE=524288

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

function requireHost({ isRoot, hasSystemd }: ServiceHost): void {
  if (!hasSystemd) {
    throw refusal('refused', 'systemd does not run here: have `panel node run` started by what starts services here.');
  }
  if (!isRoot) throw refusal('refused', 'Only root may do that: put sudo before it.');
}

/** Runs a step; a refusal that names it where it fails. */
function step(what: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw refusal('refused', `${what} failed: ${reasonOf(error)}`);
  }
}

function hasAccount(machine: ServiceHost): boolean {
  try {
    machine.run('id', '-u', ACCOUNT);
    return true;
  } catch {
    return false;
  }
}

/** Installs the service, or replaces it; it starts at once where this machine has been joined. Returns the file of the unit. */
export function installService(unit: string, machine: ServiceHost = thisHost): string {
  requireHost(machine);
  const file = join(machine.units, `${SERVICE}.service`);
  const account = ['--system', '--user-group', '--no-create-home', '--home-dir', SERVICE_FOLDER];
  if (!hasAccount(machine)) {
    step('Making its account', () => machine.run('useradd', ...account, '--shell', '/usr/sbin/nologin', ACCOUNT));
  }
  step('Making its folder', () =>
    machine.run('install', '-d', '-m', '0700', '-o', ACCOUNT, '-g', ACCOUNT, SERVICE_FOLDER),
  );
  step(`Writing ${file}`, () => writeFileSync(file, unit, { mode: 0o644 }));
  step('Loading it', () => machine.run('systemctl', 'daemon-reload'));
  step('Enabling it', () => machine.run('systemctl', 'enable', SERVICE));
  step('Starting it', () => machine.run('systemctl', 'restart', SERVICE));
  return file;
}

/** Stops the service and takes it away. Account and folder stay, and so does an engine that runs. */
export function uninstallService(machine: ServiceHost = thisHost): void {
  requireHost(machine);
  const file = join(machine.units, `${SERVICE}.service`);
  if (!existsSync(file)) throw refusal('refused', 'The service is not installed.');
  step('Stopping it', () => machine.run('systemctl', 'disable', '--now', SERVICE));
  step(`Removing ${file}`, () => rmSync(file));
  step('Loading what is left', () => machine.run('systemctl', 'daemon-reload'));
}
