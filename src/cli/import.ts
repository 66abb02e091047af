// `panel import` and `panel export`: users and connections of another panel into this one, and all of this one as a document.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { refusal } from '../adapters/refusal.ts';
import type { ImportSource } from '../contract/imports/document.ts';
import type { ImportReasonCode, ImportReport } from '../core/ports/imports.ts';
import { runCommand } from '../panel/run-command.ts';
import { askConfirmation, notify, print, printJson } from './terminal.ts';

export interface ImportOptions {
  readonly data?: string;
  readonly json?: boolean;
  readonly keyFile?: string;
  readonly source?: ImportSource;
  readonly node?: number;
  readonly yes?: boolean;
  readonly check?: boolean;
}

const PROBLEMS: Readonly<Record<NonNullable<ImportReport['problem']>, string>> = {
  unreadable: 'a file cannot be read by the account of the panel',
  not_a_file: 'only regular files are read, and no links',
  too_large: 'a file is larger, or has more records, than any panel makes',
  damaged: 'a file is damaged',
  unknown_source:
    'these are not the files of a panel that can be imported: 3x-ui, Marzban, PasarGuard, Marzneshin, Hiddify, Remnawave, a list of links or CSV, or an export of Gatehouse',
  wrong_source: 'they are of another panel than --source says',
  incomplete: 'users are missing: give all pages',
  not_a_document: 'the document has another form than an export of Gatehouse',
  own_document: 'the document is of this very panel',
};

const REASONS: Readonly<Record<ImportReasonCode, string>> = {
  name_shortened: 'name shortened; the whole one is in the metadata',
  note_shortened: 'note shortened',
  limit_too_large: 'traffic limit above 1 PiB: unlimited here',
  term_too_late: 'term ends after 2099: never ends here',
  hold_rounded: 'term from the first connection rounded up to days',
  hold_deadline: 'a term that waits for the first connection has no deadline here',
  reset_replaced: 'renews or resets in a way that this panel lacks',
  telegram_id_invalid: 'Telegram id is no number: in the metadata',
  next_plan: 'next plan is not imported',
  auto_delete: 'is not deleted by itself here',
  clients_merged: 'clients of one subscription became one user; limits and traffic were added',
  clients_apart: 'clients of one subscription are users of their own',
  devices: 'devices are not imported',
  credential_invalid: 'a credential that no engine here takes was replaced',
  connection_left_out: 'a connection of the user is not imported',
  connections_unknown: 'its connections are in a file that is missing: may use all of this panel',
  listens_locally: 'listened on one address; listens on all here',
  fallbacks: 'fallbacks with conditions are not imported',
  headers: 'headers are not imported',
  host_header: 'apps are told the server name as Host',
  proxy_protocol: 'the PROXY protocol is not imported',
  certificate_missing: 'its certificate is in a file: enter it here, else apps refuse a self-signed one',
  hosts: 'further addresses are not imported',
  traffic_limit: 'its own traffic limit is not imported',
  term: 'its own end is not imported',
  other_settings: 'a setting is not imported',
  deleted_here: 'was imported before and deleted here',
  changed_here: 'changed here and in the source: stays as it is here',
  credential_taken: 'another user has the same credential',
  telegram_id_taken: 'another user has the same Telegram id',
  external_id_taken: 'another user has the same external id',
  link_taken: 'another user has the same link: a new one was made',
  certificate_refused: 'its certificate is refused here: the panel makes a self-signed one',
  connection_refused: 'the connection cannot be created here',
  connection_unsupported: 'this panel cannot have such a connection',
  record_invalid: 'a value of it is out of bounds',
  no_node: 'there is no node to create it on: give --node',
};

/** Plans, reports, and applies after a confirmation. */
export async function importFiles(files: readonly string[], options: ImportOptions): Promise<void> {
  const { data, json = false, yes = false, check = false, keyFile = null, source = null, node = null } = options;
  const args = { paths: files.map((file) => resolve(file)), source, node_id: node };
  const plan = await runCommand(data, 'import-plan', args, { keyFile });
  if (plan.problem !== null) {
    const where = plan.detail === '' ? '' : ` (${plan.detail})`;
    throw refusal('refused', `This cannot be imported: ${PROBLEMS[plan.problem]}${where}.`);
  }
  if (check || (json && !yes)) return json ? printJson(plan) : printReport(plan);
  if (!yes) {
    printReport(plan);
    await askConfirmation('Import it? A backup is made first.');
  }
  const report = await runCommand(data, 'import-apply', args, { keyFile });
  if (json) return printJson(report);
  printReport(report);
  if (report.backup !== null) notify(`The data of before are stored as ${report.backup}.`);
}

function printReport({ source, applied, users, entries, usedBytes, totalBytes }: ImportReport): void {
  print(`${applied ? 'Imported' : 'Would import'} from ${source}:`);
  for (const kind of ['user', 'inbound', 'tariff'] as const) {
    const own = entries.filter((entry) => entry.kind === kind);
    if (own.length === 0) continue;
    const counts = Object.keys(users).map((outcome) => [
      outcome,
      own.filter((each) => each.outcome === outcome).length,
    ]);
    const shown = counts.filter(([, count]) => count !== 0).map(([outcome, count]) => `${count} ${outcome}`);
    print(`  ${NOUNS[kind]}: ${shown.join(', ')}`);
  }
  print(`  traffic: ${usedBytes} bytes of this period, ${totalBytes} in all`);
  for (const [code, names] of groupReasons(entries)) {
    print(
      `  ${names.length} × ${REASONS[code]}: ${names.slice(0, SHOWN).join(', ')}${names.length > SHOWN ? ', …' : ''}`,
    );
  }
}

const NOUNS = { user: 'users', inbound: 'connections', tariff: 'plans' } as const;
/** Names after a reason; --json has all. */
const SHOWN = 3;

function groupReasons(entries: ImportReport['entries']): ReadonlyMap<ImportReasonCode, readonly string[]> {
  const groups = new Map<ImportReasonCode, string[]>();
  for (const { name, reasons } of entries) {
    for (const { code } of reasons) {
      const group = groups.get(code);
      if (group === undefined) groups.set(code, [name]);
      else if (group.at(-1) !== name) group.push(name);
    }
  }
  return groups;
}

export interface ExportOptions {
  readonly data?: string;
  readonly json?: boolean;
  readonly keyFile?: string;
}

/** Only the path goes to stdout. */
export async function exportFile(file: string, options: ExportOptions): Promise<void> {
  const { data, json, keyFile = null } = options;
  const target = resolve(file);
  if (existsSync(target)) throw refusal('refused', `${target} is there already. Name another file.`);
  const written = await runCommand(data, 'export', { target }, { keyFile });
  if (json) return printJson(written);
  print(written.path);
  notify('Users, links, credentials and the keys of connections are in it. Keep it as a secret.');
}
