// Imports: a document of another panel is planned, reported, and applied in chunks; an interrupted import is continued by the next one.

import type { DocumentTariff } from '../../contract/imports/document.ts';
import { cleanLinkPath } from '../../domain/imports/link-token.ts';
import { requireBackups } from '../backups/backups.ts';
import type { Env, Transaction } from '../kernel/context.ts';
import type { Imports } from '../kernel/core.ts';
import { PanelError } from '../kernel/panel-error.ts';
import { requireRole } from '../kernel/role.ts';
import { toHex } from '../kernel/wire.ts';
import type { Call } from '../ports/call.ts';
import type {
  ImportDocument,
  ImportEntry,
  ImportLinkSource,
  ImportOutcome,
  ImportReason,
  ImportReferences,
  ImportReport,
  ImportRequest,
  UserImport,
} from '../ports/imports.ts';
import { linkSecretPlace, openLinkSecret } from '../subscription/imported-links.ts';
import { createTariffRow } from '../tariffs/tariffs.ts';
import { exportDocument } from './export.ts';
import { assignHosts, type Importer, importInbounds, sourceKey } from './import-inbounds.ts';
import { IMPORT_ACTION } from './import-users.ts';

const KEY_BYTES = 32;
/** Audited as that of the pages. */
const EXPORT_ACTION = 'exportData';
const NO_USERS: Readonly<Record<ImportOutcome, number>> = {
  created: 0,
  updated: 0,
  unchanged: 0,
  skipped: 0,
  decision: 0,
};

export function createImports(env: Env): Imports {
  return {
    plan: (request) => env.importJob.runAlone(() => runImport(env, request, false)),
    apply: (request) => env.importJob.runAlone(() => runImport(env, request, true)),
    async *exportDocument() {
      const action = { name: EXPORT_ACTION, by: buildCall(env), importance: 'essential' } as const;
      await env.transact(action, (tx) => tx.audit(null));
      yield* exportDocument(env);
    },
  };
}

const LOCAL_ACTOR = { kind: 'cli', id: null, name: 'command line', access: 'full' } as const;

/** Of the command line. */
function buildCall({ crypto }: Pick<Env, 'crypto'>): Call {
  return { actor: LOCAL_ACTOR, requestId: crypto.uuid().replaceAll('-', ''), address: null };
}

interface RunOptions {
  readonly call?: Call;
  /** Gets the number of users that were planned or written so far. */
  readonly onProgress?: (done: number) => void;
}

/** Must run alone (`importJob.runAlone`). */
export async function runImport(
  env: Env,
  { paths, source, nodeId }: ImportRequest,
  isApplied: boolean,
  { call = buildCall(env), onProgress = () => {} }: RunOptions = {},
): Promise<ImportReport> {
  requireRole(env);
  if (!env.importFiles || env.tasks.isStopping()) throw new PanelError('unavailable');
  const opened = await env.importFiles.open(paths, source, env.clock.now());
  if ('problem' in opened) return refuse(opened.problem, opened.detail);
  try {
    const { header } = opened;
    if (header.source.instance === env.settings().instanceId) return refuse('own_document');
    const backup = isApplied ? await requireBackups(env).create('manual', null) : null;
    // An import that is killed has a row too.
    const action = { name: IMPORT_ACTION, by: call };
    if (isApplied) await env.transact(action, (tx) => tx.audit(null, { source: header.source.name, state: 'started' }));
    const importer = { env, action, header, isApplied, onProgress };
    return { ...(await importDocument(importer, opened, nodeId)), backup: backup?.name ?? null };
  } finally {
    await opened.close();
  }
}

function refuse(problem: NonNullable<ImportReport['problem']>, detail = ''): ImportReport {
  return {
    problem,
    detail,
    source: null,
    applied: false,
    backup: null,
    users: NO_USERS,
    usedBytes: 0,
    totalBytes: 0,
    entries: [],
  };
}

async function importDocument(
  importer: Importer & Required<Pick<RunOptions, 'onProgress'>>,
  document: ImportDocument,
  nodeId: number | null,
) {
  const { env, header, isApplied } = importer;
  const entries = header.left_out.map(({ kind, id, name, reason }): ImportEntry => {
    const code = kind === 'inbound' ? 'connection_unsupported' : 'record_invalid';
    return { kind, id, name, outcome: 'skipped', reasons: [{ code, detail: reason }] };
  });
  const { ids: inbounds, entries: inboundEntries } = await importInbounds(importer, nodeId);
  entries.push(...inboundEntries);
  const tariffs = await importTariffs(importer, inbounds, entries);
  const created = new Map(
    inboundEntries.flatMap(({ id, outcome }) =>
      outcome === 'created' ? [[id, inbounds.get(id) ?? null] as const] : [],
    ),
  );
  if (isApplied) await env.transact(importer.action, (tx) => assignHosts(tx, importer, created, tariffs));
  const links = await importLinks(importer);
  const given = { source: sourceKey(header), references: { inbounds, tariffs }, links };
  const users = await importUsers(importer, document, given, entries);
  if (isApplied) await recordImport(importer, users.users);
  return { problem: null, detail: '', source: header.source.name, applied: isApplied, ...users, entries };
}

/** How tokens of the source are recognized, with its secret sealed; null: it has no links. */
async function importLinks({ env, action, header, isApplied }: Importer): Promise<UserImport['links']> {
  const source = sourceKey(header);
  const known = env.store.imports.linkSources().find((each) => each.source === source);
  if (header.links === null) return known ?? null;
  const { kind, path, secret } = header.links;
  const links: ImportLinkSource = {
    source,
    kind,
    path: cleanLinkPath(path),
    // The hashes of links are of this key.
    key: known?.key ?? toHex(env.crypto.randomBytes(KEY_BYTES)),
  };
  if (!isApplied) return links;
  if (secret !== null) await env.vault.prepare();
  await env.transact(action, (tx) => {
    tx.store.imports.saveLinkSource(links);
    if (secret !== null && openLinkSecret(tx, source) !== secret)
      tx.store.sealed.save(tx.vault.seal(linkSecretPlace(source), secret));
  });
  return links;
}

/** Plans are found by their name, or created. */
async function importTariffs(
  { env, action, header, isApplied }: Importer,
  inbounds: ImportReferences['inbounds'],
  entries: ImportEntry[],
): Promise<ReadonlyMap<string, number>> {
  const source = sourceKey(header);
  const made = new Map<string, number>();
  const create = (tx: Transaction, { id, inbounds: own, ...fields }: DocumentTariff): number => {
    const ids = own === null ? null : [...new Set(own.flatMap((each) => inbounds.get(each) ?? []))];
    const recordId = createTariffRow({ ...fields, inbounds: ids }, tx).id;
    tx.store.imports.save({ kind: 'tariff', source, sourceId: id, recordId, facts: null, version: 1, at: tx.now });
    return recordId;
  };
  const find = ({ id }: DocumentTariff): { readonly outcome: ImportOutcome; readonly id?: number } => {
    const record = env.store.imports.get('tariff', source, id);
    const present = record && env.store.tariffs.get(record.recordId);
    if (present) return { outcome: 'unchanged', id: present.id };
    return { outcome: record ? 'skipped' : 'created' };
  };
  for (const tariff of header.tariffs) {
    const found = isApplied
      ? await env.transact(action, (tx) => {
          const seen = find(tariff);
          return seen.outcome === 'created' ? { ...seen, id: create(tx, tariff) } : seen;
        })
      : find(tariff);
    const { outcome, id } = found;
    const reasons: readonly ImportReason[] = outcome === 'skipped' ? [{ code: 'deleted_here', detail: '' }] : [];
    entries.push({ kind: 'tariff', id: tariff.id, name: tariff.name, outcome, reasons });
    if (id !== undefined) made.set(tariff.id, id);
  }
  return made;
}

async function importUsers(
  { env, action, header, isApplied, onProgress }: Importer & Required<Pick<RunOptions, 'onProgress'>>,
  document: ImportDocument,
  given: Omit<UserImport, 'call' | 'isApplied'>,
  entries: ImportEntry[],
) {
  const users = { ...NO_USERS, skipped: header.left_out.filter(({ kind }) => kind === 'user').length };
  let done = 0;
  let usedBytes = 0;
  let totalBytes = 0;
  await document.begin({ ...given, call: action.by, isApplied });
  const step = () => document.step(env.clock.now());
  for (;;) {
    const part = await (isApplied ? env.queue.runAlone(step) : step()).catch((error: unknown) => {
      if (error instanceof PanelError && error.code === 'storage_full') env.store.diskSpace.markFull();
      throw error;
    });
    if (part === null) break;
    if (isApplied) env.announce();
    for (const entry of part.entries) users[entry.outcome] += 1;
    entries.push(...part.entries);
    done += part.entries.length;
    onProgress(done);
    usedBytes += part.usedBytes;
    totalBytes += part.totalBytes;
    requireRole(env);
    if (env.tasks.isStopping()) throw new PanelError('unavailable');
  }
  return { users, usedBytes, totalBytes };
}

async function recordImport({ env, action, header }: Importer, users: ImportReport['users']): Promise<void> {
  await env.transact(action, (tx) => tx.audit(null, { source: header.source.name, state: 'done', ...users }));
}
