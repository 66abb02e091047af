// The import of the panel's pages: files that were sent are planned and applied while the pages ask for its state.
//
//   empty ─ planImport ─► planning ─► planned ─ applyImport ─► applying ─► applied
//                            └────► failed ◄──────────────────────┘
import { IMPORT_KINDS, type ImportJobView, NAMED_RECORDS } from '../../contract/imports/imports.ts';
import type { Input, Output } from '../../contract/table.ts';
import type { AsyncContext, Context, Env, Handlers } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import { toInstant } from '../kernel/wire.ts';
import type { Call } from '../ports/call.ts';
import type { ImportEntry, ImportJob, ImportReport, ImportUploads } from '../ports/imports.ts';
import { exportPart } from './export.ts';
import { runImport } from './imports.ts';
import { deleteUntouched } from './undo.ts';

type View = Output<'getImport'>;
type ReportView = NonNullable<View['report']>;

function requireUploads({ importUploads }: Pick<Env, 'importUploads'>): ImportUploads {
  if (!importUploads) throw new PanelError('unavailable');
  return importUploads;
}

function requireIdle({ importJob }: Pick<Env, 'importJob'>): void {
  if (importJob.isBusy()) throw new PanelError('import_running');
}

function viewJob(env: Env): View {
  const { phase, done, error, report } = env.importJob.get();
  return {
    phase,
    done,
    error,
    report: report && viewReport(report),
    files: (env.importUploads?.list() ?? []).map(({ name, sizeBytes }) => ({ name, size_bytes: sizeBytes })),
    imported: env.store.imports.summaries().map(({ source, at, users, untouched }) => ({
      source,
      name: source.slice(0, source.indexOf(' ')) as ImportJobView['imported'][number]['name'],
      at: toInstant(at),
      users,
      untouched,
    })),
  };
}

function viewReport({ problem, detail, source, usedBytes, totalBytes, entries, backup }: ImportReport): ReportView {
  const counts = Object.fromEntries(
    IMPORT_KINDS.map((kind) => [kind, countOutcomes(entries.filter((entry) => entry.kind === kind))]),
  ) as Record<ImportEntry['kind'], ReportView['users']>;
  return {
    problem,
    detail,
    source,
    users: counts.user,
    inbounds: counts.inbound,
    tariffs: counts.tariff,
    used_bytes: usedBytes,
    total_bytes: totalBytes,
    reasons: groupReasons(entries),
    backup,
  };
}

function countOutcomes(entries: readonly ImportEntry[]): ReportView['users'] {
  const counts = { created: 0, updated: 0, unchanged: 0, skipped: 0, decision: 0 };
  for (const { outcome } of entries) counts[outcome] += 1;
  return counts;
}

/** Records by their reasons; each reason of a record counts once. */
function groupReasons(entries: readonly ImportEntry[]): ReportView['reasons'] {
  const groups = new Map<ReportView['reasons'][number]['code'], ReportView['reasons'][number]>();
  for (const { kind, name, outcome, reasons } of entries) {
    for (const { code, detail } of new Map(reasons.map((reason) => [reason.code, reason])).values()) {
      const group = groups.get(code) ?? { code, count: 0, records: [] };
      groups.set(code, group);
      group.count += 1;
      if (group.records.length < NAMED_RECORDS) group.records.push({ kind, name, outcome, detail });
    }
  }
  return [...groups.values()].sort((a, b) => b.count - a.count);
}

async function addImportFile({ name, offset, data }: Input<'addImportFile'>, { env }: AsyncContext<'addImportFile'>) {
  const { importJob } = env;
  return importJob.runAlone(async () => {
    // A plan of other files is void.
    importJob.reset();
    const size_bytes = await requireUploads(env).append(name, offset, data);
    return { body: { name, size_bytes } };
  });
}

/** Runs in the background; the job has its state. */
function startRun(env: Env, isApplied: boolean, call: Call, request: ImportJob['request']): void {
  const { importJob } = env;
  const run = async () => {
    importJob.begin(isApplied ? 'applying' : 'planning', request);
    try {
      const paths = requireUploads(env).paths();
      const options = { call, onProgress: importJob.setDone };
      const report = await runImport(env, { paths, ...request }, isApplied, options);
      if (isApplied && report.problem === null) await requireUploads(env).clear();
      importJob.end(report);
    } catch (error) {
      importJob.fail(error instanceof PanelError ? error.code : 'internal');
      throw error;
    }
  };
  env.tasks.start('import', () => importJob.runAlone(run));
}

async function planImport({ source, node_id }: Input<'planImport'>, { env, call }: AsyncContext<'planImport'>) {
  requireIdle(env);
  if (requireUploads(env).paths().length === 0) throw new PanelError('not_found');
  startRun(env, false, call, { source, nodeId: node_id });
  return { body: viewJob(env) };
}

async function applyImport(_input: Input<'applyImport'>, { env, call }: AsyncContext<'applyImport'>) {
  requireIdle(env);
  const { phase, report, request } = env.importJob.get();
  if (phase !== 'planned' || report?.problem !== null) throw new PanelError('not_found');
  startRun(env, true, call, request);
  return { body: viewJob(env) };
}

async function discardImport(_input: Input<'discardImport'>, { env }: AsyncContext<'discardImport'>) {
  const { importJob } = env;
  await importJob.runAlone(async () => {
    importJob.reset();
    await requireUploads(env).clear();
  });
  return { body: viewJob(env) };
}

async function undoImport({ source }: Input<'undoImport'>, { env, call }: AsyncContext<'undoImport'>) {
  requireIdle(env);
  if (!env.store.imports.summaries().some((each) => each.source === source)) throw new PanelError('not_found');
  return { body: await env.importJob.runAlone(() => deleteUntouched(env, call, source)) };
}

async function exportData({ after }: Input<'exportData'>, { env, commit }: AsyncContext<'exportData'>) {
  const body = exportPart(env, after);
  return commit((tx) => {
    // A later part alone has secrets too.
    tx.audit(null, { after });
    return { body };
  });
}

export const IMPORT_HANDLERS = {
  addImportFile: { run: addImportFile },
  planImport: { run: planImport },
  getImport: { read: (_input, { env }: Context) => ({ body: viewJob(env) }) },
  applyImport: { run: applyImport },
  discardImport: { run: discardImport, isEssential: true },
  undoImport: { run: undoImport },
  exportData: { run: exportData },
} satisfies Handlers<
  'addImportFile' | 'planImport' | 'getImport' | 'applyImport' | 'discardImport' | 'undoImport' | 'exportData'
>;
