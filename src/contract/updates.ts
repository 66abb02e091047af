// Updates of the panel: what a release declares about itself, whether there is a newer one, and what became of the last update.
import { z } from 'zod';
import { panelOperation } from './operation.ts';
import * as s from './scalars.ts';

/** Why a release is not offered or not installed. */
export const UPDATE_PROBLEMS = [
  'no_source',
  'unreachable',
  'too_large',
  'incomplete',
  'malformed',
  'unsigned',
  'wrong_file',
  'older_than_seen',
  'expired',
] as const;
export type UpdateProblem = (typeof UPDATE_PROBLEMS)[number];

const version = z
  .string()
  .max(20)
  .regex(/^(?:0|[1-9]\d{0,5})(?:\.(?:0|[1-9]\d{0,5})){2}$/);
const moment = z.iso.datetime();

/** The largest archive that is downloaded. */
const MOST_ARCHIVE_BYTES = 500_000_000;

/** The signed description of a channel's newest release. What later versions add to it is ignored. */
export const releaseManifest = z.object({
  version,
  published_at: moment,
  /** Signed again from time to time: one that was signed earlier than one that is known is refused. */
  signed_at: moment,
  /** After this moment it is not valid: a server that holds newer ones back is noticed. */
  expires_at: moment,
  notes: z.string().max(50_000),
  files: z
    .array(
      z.object({
        platform: z.string().max(40),
        name: z.string().regex(/^[\w.-]{1,120}$/),
        size: z.int().min(1).max(MOST_ARCHIVE_BYTES),
        sha256: z.string().regex(/^[0-9a-f]{64}$/),
      }),
    )
    .max(20),
});
export type ReleaseManifest = z.output<typeof releaseManifest>;

const INSTALLATIONS = ['release', 'checkout', 'desktop'] as const;
export type Installation = (typeof INSTALLATIONS)[number];

export const UPDATE_RESULTS = ['updated', 'rolled_back', 'returned'] as const;
export const ROLLBACK_REASONS = ['ended', 'silent', 'interrupted', 'asked'] as const;

export const updates = z
  .object({
    version: z.string().meta({ description: 'The version that runs.' }),
    installation: z.enum(INSTALLATIONS).meta({
      description:
        '`release`: unpacked from an archive, updated by `panel update`; `checkout`: run from its sources; `desktop`: the application, which updates itself.',
    }),
    channel: z.string().meta({ description: 'The series of releases that is followed.' }),
    host: z.string().nullable().meta({ description: 'Where releases are looked for; null: nowhere.' }),
    automatic: z.boolean().meta({ description: 'Whether the panel looks for releases once a day.' }),
    checked_at: s.instant.nullable().meta({ description: 'The last check; null: none yet.' }),
    problem: z
      .enum(UPDATE_PROBLEMS)
      .nullable()
      .meta({ id: 'UpdateProblem', description: 'Why the last check failed; null: it did not.' }),
    available: z
      .object({
        version: z.string().meta({ description: 'The version of the release.' }),
        published_at: s.instant.meta({ description: 'When it was published.' }),
        notes: z.string().meta({ description: 'What is new, as plain text.' }),
        fits: z.boolean().meta({ description: 'Whether it has an archive for this system.' }),
      })
      .nullable()
      .meta({ description: 'A release that is newer than this version; null: none is known.' }),
    last: z
      .object({
        at: s.instant.meta({ description: 'When it ended.' }),
        from: z.string().meta({ description: 'The version before.' }),
        to: z.string().meta({ description: 'The version that was to run.' }),
        result: z.enum(UPDATE_RESULTS).meta({
          description: '`rolled_back`: the new version did not come up; `returned`: the former was asked for.',
        }),
        reason: z.enum(ROLLBACK_REASONS).nullable().meta({
          description:
            'Why the new version runs no more: `ended` while it started, `silent`: it did not come up in time.',
        }),
        restored: z.boolean().meta({ description: 'Whether the data are those of before the update.' }),
      })
      .nullable()
      .meta({ description: 'What became of the last update; null: there was none.' }),
  })
  .meta({ id: 'Updates', description: 'This version, and what is known of newer ones.' });

const example: z.output<typeof updates> = {
  version: '0.1.0',
  installation: 'release',
  channel: 'stable',
  host: 'releases.example.org',
  automatic: true,
  checked_at: '2026-11-20T09:00:00.000Z',
  problem: null,
  available: { version: '0.2.0', published_at: '2026-11-19T12:00:00.000Z', notes: 'Faster lists.', fits: true },
  last: null,
};

export const getUpdates = panelOperation({
  id: 'getUpdates',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'Read what is known of newer versions',
  input: z.strictObject({}),
  output: updates,
  example: { body: {}, reply: example },
});

export const checkForUpdates = panelOperation({
  id: 'checkForUpdates',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Look for a newer version',
  description:
    'Reads the signed description of the newest release. Nothing is sent but the request, and nothing is installed.',
  input: z.strictObject({}),
  output: updates,
  example: { body: {}, reply: example },
});
