// Imports in the panel: files are sent in parts, planned, and applied; what was imported can be undone while it is untouched.
import { z } from 'zod';
import { PROOF_ERRORS, proof } from '../access/proof.ts';
import { ERRORS, type ErrorCode } from '../errors.ts';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';
import { IMPORT_LOSSES, IMPORT_SOURCES } from './document.ts';

/** Disk space for files that were sent. Larger ones are imported on the command line. */
export const IMPORT_UPLOAD_BYTES = 1_073_741_824;
/** Bytes of one part: within the body of a request. */
export const IMPORT_PART_BYTES = 524_288;
/** Records that a reply names for a reason; it counts all. */
export const NAMED_RECORDS = 100;

/** Why files cannot be imported. */
export const IMPORT_PROBLEMS = [
  'unreadable',
  'not_a_file',
  'too_large',
  'damaged',
  'unknown_source',
  'wrong_source',
  'not_a_document',
  'incomplete',
  'own_document',
] as const;

export const IMPORT_OUTCOMES = ['created', 'updated', 'unchanged', 'skipped', 'decision'] as const;
export const IMPORT_KINDS = ['user', 'inbound', 'tariff'] as const;

/** Why the panel does less with a record than the source has, besides what the reader lost. */
export const IMPORT_REASONS = [
  ...IMPORT_LOSSES,
  'deleted_here',
  'changed_here',
  'credential_taken',
  'telegram_id_taken',
  'external_id_taken',
  'link_taken',
  'certificate_refused',
  'connection_refused',
  'connection_unsupported',
  'record_invalid',
  'no_node',
] as const;

export const IMPORT_PHASES = ['empty', 'planning', 'planned', 'applying', 'applied', 'failed'] as const;

const count = z.int().min(0);
const counts = z
  .object({ created: count, updated: count, unchanged: count, skipped: count, decision: count })
  .meta({ id: 'ImportCounts' });

const report = z
  .object({
    problem: z.enum(IMPORT_PROBLEMS).nullable().meta({ description: 'Why it cannot be imported; null: it can.' }),
    detail: z.string().meta({ description: 'Where the problem is, in words of the file; else empty.' }),
    source: z.enum(IMPORT_SOURCES).nullable(),
    users: counts,
    inbounds: counts,
    tariffs: counts,
    used_bytes: s.bytes.meta({ description: 'Traffic of this period of the users that are or would be here.' }),
    total_bytes: s.bytes.meta({ description: 'Their traffic in all.' }),
    reasons: z.array(
      z.object({
        code: z.enum(IMPORT_REASONS),
        count,
        records: z
          .array(
            z.object({
              kind: z.enum(IMPORT_KINDS),
              name: z.string(),
              outcome: z.enum(IMPORT_OUTCOMES),
              detail: z.string(),
            }),
          )
          .meta({ description: `The first ${NAMED_RECORDS}.` }),
      }),
    ),
    backup: z.string().nullable().meta({ description: 'The backup of the data before; null: none was made.' }),
  })
  .meta({ id: 'ImportReport' });

const fileName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/);

const job = z
  .object({
    phase: z.enum(IMPORT_PHASES).meta({
      description:
        '`empty`: nothing was planned. `planned`: the report says what an import would do. `applied`: it says what it did. `failed`: it ended with `error`; another one continues it.',
    }),
    files: z.array(z.object({ name: fileName, size_bytes: count })),
    done: count.meta({ description: 'Users that were planned or written so far.' }),
    error: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]).nullable(),
    report: report.nullable(),
    imported: z
      .array(
        z.object({
          source: z.string().meta({ description: 'The panel and its installation.' }),
          name: z.enum(IMPORT_SOURCES),
          at: s.instant,
          users: count.meta({ description: 'Users from there who are still here.' }),
          untouched: count.meta({ description: 'Of them, those that nobody changed or used here.' }),
        }),
      )
      .meta({ description: 'What was imported, by its source.' }),
  })
  .meta({ id: 'ImportJob' });
export type ImportJobView = z.output<typeof job>;

const none = { created: 0, updated: 0, unchanged: 0, skipped: 0, decision: 0 };
const example: ImportJobView = {
  phase: 'planned',
  files: [{ name: 'x-ui.db', size_bytes: 1_048_576 }],
  done: 302,
  error: null,
  report: {
    problem: null,
    detail: '',
    source: '3x-ui',
    users: { ...none, created: 302 },
    inbounds: { ...none, created: 6 },
    tariffs: none,
    used_bytes: 1_073_741_824,
    total_bytes: 5_368_709_120,
    reasons: [
      {
        code: 'hold_rounded',
        count: 1,
        records: [{ kind: 'user', name: 'ann', outcome: 'created', detail: '43200 s' }],
      },
    ],
    backup: null,
  },
  imported: [],
};
const emptyExample: ImportJobView = { ...example, phase: 'empty', files: [], done: 0, report: null };

export const addImportFile = panelOperation({
  id: 'addImportFile',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Send a part of a file for an import',
  description: `At most ${IMPORT_PART_BYTES} bytes. The first part of a file replaces one of the same name.`,
  input: z.strictObject({
    name: fileName,
    offset: z
      .int()
      .min(0)
      .max(IMPORT_UPLOAD_BYTES)
      .meta({ description: 'Where the part begins: what was sent before.' }),
    data: z
      .base64()
      .max(Math.ceil(IMPORT_PART_BYTES / 3) * 4)
      .meta({ description: 'The part in base64.' }),
  }),
  output: z.object({ name: fileName, size_bytes: count }),
  errors: ['import_running', 'storage_full'],
  example: {
    body: { name: 'x-ui.db', offset: 0, data: 'U1FMaXRlIGZvcm1hdCAzAA==' },
    reply: { name: 'x-ui.db', size_bytes: 16 },
  },
});

export const planImport = panelOperation({
  id: 'planImport',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Find out what an import of the sent files would do',
  description: 'Nothing is written. It goes on after the reply: `getImport` has its state.',
  input: z.strictObject({
    source: z.enum(IMPORT_SOURCES).nullable().default(null).meta({ description: 'null: found out by the files.' }),
    node_id: s.id
      .nullable()
      .default(null)
      .meta({ description: 'Where inbounds are created; null: on the only node, or that of this machine.' }),
  }),
  output: job,
  errors: ['import_running', 'not_found'],
  example: { body: { node_id: 1 }, reply: { ...emptyExample, phase: 'planning', files: example.files } },
});

export const getImport = panelOperation({
  id: 'getImport',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'Get the state of the import',
  input: z.strictObject({}),
  output: job,
  example: { body: {}, reply: example },
});

export const applyImport = panelOperation({
  id: 'applyImport',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Import what was planned',
  description: 'Makes a backup first. It goes on after the reply: `getImport` has its state.',
  input: z.strictObject(proof),
  output: job,
  errors: [...PROOF_ERRORS, 'import_running', 'not_found'],
  example: { body: { password: 'correct horse battery' }, reply: { ...example, phase: 'applying', done: 0 } },
});

export const discardImport = panelOperation({
  id: 'discardImport',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Delete the sent files and the plan',
  input: z.strictObject({}),
  output: job,
  errors: ['import_running'],
  example: { body: {}, reply: emptyExample },
});

export const undoImport = panelOperation({
  id: 'undoImport',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Delete what was imported from a source and is untouched',
  description:
    'Users whom nobody changed here and who have not connected since, and inbounds and tariffs that are unchanged and unused afterwards.',
  input: z.strictObject({ ...proof, source: z.string().min(1).max(120) }),
  output: z.object({ users: count, inbounds: count, tariffs: count }),
  errors: [...PROOF_ERRORS, 'import_running', 'not_found'],
  example: {
    body: { password: 'correct horse battery', source: '3x-ui 0123456789abcdef' },
    reply: { users: 302, inbounds: 6, tariffs: 0 },
  },
});

export const exportData = panelOperation({
  id: 'exportData',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Get a part of the export of all users, inbounds and tariffs',
  description: 'The parts together are the document of `panel export`, with all credentials and keys.',
  input: z.strictObject({
    ...proof,
    after: z.int().min(0).nullable().meta({ description: '`next` of the part before; null: the first part.' }),
  }),
  output: z.object({
    text: z.string(),
    next: z.int().min(0).nullable().meta({ description: 'null: this is the last part.' }),
  }),
  errors: PROOF_ERRORS,
  example: {
    body: { password: 'correct horse battery', after: null },
    reply: { text: '{"format":"gatehouse-export","version":1', next: 0 },
  },
});
