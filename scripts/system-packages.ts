// What a suite needs of the machine beyond npm: Debian packages, installed by the test command itself where it may.
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from './run.ts';

/** What tests/keychain needs: a message bus and a keychain that run for a test alone. */
export const KEYCHAIN_PROGRAMS = {
  'dbus-run-session': 'dbus',
  'dbus-send': 'dbus',
  'gnome-keyring-daemon': 'gnome-keyring',
} as const;

/** What tests/attacks asks for a second judgement of TLS. */
export const SCANNER_PROGRAMS = { sslscan: 'sslscan' } as const;

/** What tests/attacks asks what the service of a node's machine is left with. */
export const ANALYZER_PROGRAMS = { 'systemd-analyze': 'systemd' } as const;

/** What tests/backup stores backups at. */
export const SERVER_PROGRAMS = { sshd: 'openssh-server' } as const;

/** What tests/attacks opens exported tables with. */
export const SPREADSHEET_PROGRAMS = { soffice: 'libreoffice-calc' } as const;

/** What tests/disk needs to see what a program asks of the system. */
export const TRACING_PROGRAMS = { strace: 'strace' } as const;

/** The variable that names the command in which suites run: nothing is installed in `test`, which needs npm packages alone. */
export const COMMAND_VARIABLE = 'GATEHOUSE_TEST_COMMAND';

/** What tests/cli sets the clock of a process with. */
export const CLOCK_PROGRAMS = { faketime: 'faketime' } as const;

/** For what hangs. */
const LIMIT_MS = 15 * 60_000;
/** Another apt-get may be at work: wait for its lock. */
const APT = ['apt-get', '-o', 'DPkg::Lock::Timeout=600'];
const QUIET = { DEBIAN_FRONTEND: 'noninteractive' };

/**
 * Makes sure that these programs are there, each named with the Debian package that brings it. What is missing is installed
 * where that is possible (on Debian or a system derived from it, as root); each step is reported through `log`.
 * Resolves to null, or to the reason why programs are still missing; never rejects.
 */
export async function ensurePackages(
  packageByName: Readonly<Record<string, string>>,
  log: (line: string) => void = console.log,
): Promise<string | null> {
  const missing = () => Object.keys(packageByName).filter((program) => !isOnPath(program));
  const programs = missing();
  if (programs.length === 0) return null;

  const packages = [...new Set(programs.map((program) => packageByName[program] ?? program))];
  const needed = `needs ${programs.join(', ')} (Debian: apt-get install ${packages.join(' ')})`;
  if (process.env[COMMAND_VARIABLE] === 'test') return `${needed}: npm test installs nothing`;
  if (!isDebian()) return `${needed}: this is not Debian`;
  if (!canInstallPackages()) return `${needed}: only root may install packages`;

  const install = [...APT, 'install', '-y', '--no-install-recommends', ...packages];
  log(`Installing what is missing: ${install.join(' ')}`);
  let installed = await run(install, LIMIT_MS, QUIET);
  if (!installed.ok) {
    log('That failed; once more with fresh package lists: apt-get update');
    await run([...APT, 'update'], LIMIT_MS, QUIET);
    installed = await run(install, LIMIT_MS, QUIET);
  }
  if (missing().length === 0) {
    log(`Installed: ${packages.join(' ')}`);
    return null;
  }
  const lastLine = installed.output.trim().split('\n').at(-1) ?? '';
  return `${needed}: apt-get could not install it (${lastLine})`;
}

/** Whether this process may install packages at all. */
export function canInstallPackages(): boolean {
  return isDebian() && process.getuid?.() === 0;
}

function isDebian(): boolean {
  return existsSync('/etc/debian_version') && isOnPath('apt-get');
}

function isOnPath(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
