// `panel update`: looks for a newer version, installs it beside the present one, and rolls back.
import { resolve } from 'node:path';
import { findDataFolder } from '../adapters/data-folder.ts';
import { findInstallation, panelVersion } from '../adapters/installation.ts';
import { refusal } from '../adapters/refusal.ts';
import { PROBLEM_SENTENCES } from '../adapters/releases/problem-sentences.ts';
import { isNewer } from '../domain/version.ts';
import { runCommand } from '../panel/run-command.ts';
import { tryDatabase } from '../panel/update/try-database.ts';
import {
  inInstallation,
  returnToFormer,
  type Updated,
  type UpdateParts,
  type UpdateStep,
  updateFrom,
  updateTo,
} from '../panel/update/update.ts';
import { notify, print, printJson, printText } from './terminal.ts';

export type UpdateOptions = {
  readonly data?: string;
  readonly json?: boolean;
  readonly keyFile?: string;
  readonly check?: boolean;
  readonly file?: string;
  readonly rollback?: boolean;
  readonly restoreData?: boolean;
  readonly wait: number;
};

const STEPS: Readonly<Record<UpdateStep, (version: string) => string>> = {
  download: (version) => `Downloading version ${version} …`,
  verify: (version) => `Checking the signature of ${version} …`,
  unpack: (version) => `Unpacking version ${version} …`,
  try: (version) => `Trying version ${version} on a copy of the data …`,
  backup: () => 'Making a backup …',
  switch: (version) => `Switching to version ${version} …`,
  wait: (version) => `Waiting for version ${version} to come up …`,
};

const ROLLED_BACK = 1;

export async function update(options: UpdateOptions): Promise<void> {
  if (options.check) return check(options);
  const installation = findInstallation();
  if (installation === null) throw notInstalled();
  const parts: UpdateParts = {
    installation,
    data: options.data,
    folder: findDataFolder(options.data),
    keyFile: options.keyFile ?? null,
    seconds: options.wait,
    reportStep: (step, version) => notify(STEPS[step](version)),
  };
  const updated = await inInstallation(installation, async () => {
    if (options.rollback) return returnToFormer(parts, options.restoreData ?? false);
    if (options.file !== undefined) return updateFrom(parts, resolve(options.file));
    const release = await newest(options);
    return isNewer(release.version, installation.version) ? updateTo(parts, release) : null;
  });
  report(updated, installation.version, options.json ?? false);
}

function notInstalled(): Error {
  return refusal(
    'refused',
    process.versions.electron === undefined
      ? 'This panel runs from its sources: update them with git, run `npm ci`, and start it again. A panel that was unpacked from an archive of a release is updated by this command.'
      : 'The desktop application looks for its updates itself: see its menu.',
  );
}

/** The newest release. Throws a refusal if the check fails. */
async function newest({ data, keyFile }: UpdateOptions) {
  const found = await runCommand(data, 'update-check', {}, { keyFile: keyFile ?? null, mayCreate: true });
  if ('problem' in found) throw refusal('refused', PROBLEM_SENTENCES[found.problem]);
  return found;
}

async function check(options: UpdateOptions): Promise<void> {
  const { version, published_at, notes } = await newest(options);
  const present = panelVersion();
  const isOffered = isNewer(version, present);
  if (options.json) return printJson({ version: present, newest: version, published_at, notes, available: isOffered });
  if (!isOffered) return printText(`Version ${present} is the newest.`);
  printText(`Version ${version} of ${published_at.slice(0, 10)} can be installed: panel update\n\n${notes}`);
}

function report(updated: Updated | null, present: string, isJson: boolean): void {
  if (updated?.result === 'rolled_back') process.exitCode = ROLLED_BACK;
  if (isJson) printJson(updated ?? { from: present, to: present, result: 'newest', backup: null });
  else printText(updated === null ? `Version ${present} is the newest.` : describeUpdate(updated));
}

function describeUpdate({ from, to, result, backup }: Updated): string {
  const made = backup === null ? '' : `\nThe backup from before is ${backup}.`;
  switch (result) {
    case 'updated':
      return `Version ${to} runs.${made}`;
    case 'waiting':
      return `Version ${to} is installed. No panel runs: the next \`panel serve\` starts it.${made}`;
    case 'rolled_back':
      return `Version ${to} did not come up: version ${from} runs again.${made}`;
  }
}

/** Whether this version can migrate and open the database `file`, a copy; the present version asks before a switch. */
export function tryOn(file: string): void {
  print(`version ${tryDatabase(resolve(file))}`);
}
