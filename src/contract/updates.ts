// Updates of the panel: the description of a release, the newest known release, and the result of the last update.
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
const MAX_ARCHIVE_BYTES = 500_000_000;

/** The signed description of a channel's newest release. Unknown members are ignored. */
export const releaseManifest = z.object({
  version,
  published_at: moment,
  /** The description is signed again from time to time; an older signature than the last known one is refused. */
  signed_at: moment,
  /** The description expires, so that a server that withholds newer ones is noticed. */
  expires_at: moment,
  notes: z.string().max(50_000),
  files: z
    .array(
      z.object({
        platform: z.string().max(40),
        name: z.string().regex(/^[\w.-]{1,120}$/),
        size: z.int().min(1).max(MAX_ARCHIVE_BYTES),
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
    version: z.string().meta({ description: 'The running version.' }),
    installation: z.enum(INSTALLATIONS).meta({
      description:
        '`release`: unpacked from an archive, updated by `panel update`; `checkout`: run from its sources; `desktop`: the application, which updates itself.',
    }),
    channel: z.string().meta({ description: 'The channel of releases.' }),
    host: z.string().nullable().meta({ description: 'The address of the releases; null: none.' }),
    automatic: z.boolean().meta({ description: 'Whether the panel checks for releases once a day.' }),
    checked_at: s.instant.nullable().meta({ description: 'The last check; null: none yet.' }),
    problem: z
      .enum(UPDATE_PROBLEMS)
      .nullable()
      .meta({ id: 'UpdateProblem', description: 'Why the last check failed; null: it succeeded.' }),
    available: z
      .object({
        version: z.string().meta({ description: 'The version of the release.' }),
        published_at: s.instant.meta({ description: 'When it was published.' }),
        notes: z.string().meta({ description: 'The release notes, as plain text.' }),
        fits: z.boolean().meta({ description: 'Whether there is an archive for this system.' }),
      })
      .nullable()
      .meta({ description: 'The newest release, if it is newer than this version; null: none is known.' }),
    last: z
      .object({
        at: s.instant.meta({ description: 'When it ended.' }),
        from: z.string().meta({ description: 'The previous version.' }),
        to: z.string().meta({ description: 'The new version.' }),
        result: z.enum(UPDATE_RESULTS).meta({
          description:
            '`rolled_back`: the new version did not start; `returned`: the previous version was restored on request.',
        }),
        reason: z.enum(ROLLBACK_REASONS).nullable().meta({
          description:
            'Why the new version was stopped: `ended`: it exited during its start; `silent`: it did not start in time.',
        }),
        restored: z.boolean().meta({ description: 'Whether the data of before the update were restored.' }),
      })
      .nullable()
      .meta({ description: 'The result of the last update; null: there was none.' }),
  })
  .meta({ id: 'Updates', description: 'The running version and the newest known release.' });

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
  summary: 'Read the update status',
  input: z.strictObject({}),
  output: updates,
  example: { body: {}, reply: example },
});

export const checkForUpdates = panelOperation({
  id: 'checkForUpdates',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Check for a newer version',
  description:
    'Reads the signed description of the newest release. Sends nothing but the request, and installs nothing.',
  input: z.strictObject({}),
  output: updates,
  example: { body: {}, reply: example },
});
