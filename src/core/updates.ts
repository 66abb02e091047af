// Updates: what is known of newer versions, looked for once a day or when asked. They are installed by the command line only.

import type { Input, Output } from '../contract/table.ts';
import type { ReleaseManifest, UpdateProblem } from '../contract/updates.ts';
import { DAY_MS } from '../domain/limits.ts';
import { isNewer } from '../domain/version.ts';
import { type Say, tellAdmins } from './bot/admin-notices.ts';
import type { Result } from './call.ts';
import type { AsyncContext, Context, Env, Handlers } from './context.ts';
import type { UpdateSeenValue } from './ports/settings.ts';
import { toInstant } from './wire.ts';

function viewUpdates({ releases, version, settings }: Env): Output<'getUpdates'> {
  const { updateChecks, updateSeen, updateLast } = settings();
  const { at, problem, release } = updateSeen;
  const installation = releases?.installation ?? 'checkout';
  // The application has an updater of its own.
  const isOffered = installation !== 'desktop' && release !== null && isNewer(release.version, version);
  return {
    version,
    installation,
    channel: releases?.channel ?? 'stable',
    host: releases?.host ?? null,
    automatic: updateChecks,
    checked_at: at === null ? null : toInstant(at),
    problem,
    available: isOffered
      ? {
          version: release.version,
          published_at: release.publishedAt,
          notes: release.notes,
          fits: releases !== undefined && release.platforms.includes(releases.platform),
        }
      : null,
    last: updateLast === null ? null : { ...updateLast, at: toInstant(updateLast.at) },
  };
}

/**
 * Reads the newest release and stores what was found. A release that was signed before one that is known, or that has expired, is
 * refused: somebody holds the newer one back.
 */
export async function checkReleases(env: Env): Promise<ReleaseManifest | { readonly problem: UpdateProblem }> {
  const found = (await env.releases?.latest()) ?? { problem: 'no_source' };
  const now = env.clock.now();
  const { updateSeen } = env.settings();
  const problem = 'problem' in found ? found.problem : judge(found, updateSeen, now);
  const release = problem === null && 'version' in found ? seenOf(found) : updateSeen.release;
  await env.queue.run(() =>
    env.store.write(() => {
      env.store.settings.set({ updateSeen: { at: now, problem, release } });
      env.forgetSettings();
      const offered = viewUpdates(env).available;
      if (offered === null) return;
      const { version } = offered;
      const say: Say = ({ t }) => t('admin.notice.update', { version, present: env.version });
      tellAdmins({ ...env, settings: env.settings(), now }, { kind: 'update', key: version, say });
    }),
  );
  env.announce();
  return problem === null ? found : { problem };
}

function judge(
  { signed_at, expires_at }: ReleaseManifest,
  { release }: UpdateSeenValue,
  now: number,
): UpdateProblem | null {
  if (release !== null && Date.parse(signed_at) < Date.parse(release.signedAt)) return 'older_than_seen';
  return Date.parse(expires_at) <= now ? 'expired' : null;
}

function seenOf({ version, published_at, signed_at, notes, files }: ReleaseManifest): UpdateSeenValue['release'] {
  const platforms = files.map(({ platform }) => platform);
  return { version, publishedAt: published_at, signedAt: signed_at, notes, platforms };
}

/** Makes the periodic check. A panel that never checked does so at once. */
export function createUpdateSchedule(env: Env): () => Promise<void> {
  return async () => {
    const { updateChecks, updateSeen } = env.settings();
    if (!updateChecks || env.releases === undefined || env.releases.host === null) return;
    const now = env.clock.now();
    // A clock that was set back makes the next check due.
    const isDone = updateSeen.at !== null && updateSeen.at <= now && now - updateSeen.at < DAY_MS;
    if (isDone || env.store.diskSpace.isFull()) return;
    await checkReleases(env);
  };
}

async function checkForUpdates(
  _input: Input<'checkForUpdates'>,
  { env }: AsyncContext<'checkForUpdates'>,
): Promise<Result<Output<'checkForUpdates'>>> {
  await checkReleases(env);
  return { body: viewUpdates(env) };
}

export const UPDATE_HANDLERS = {
  getUpdates: { read: (_input: Input<'getUpdates'>, { env }: Context) => ({ body: viewUpdates(env) }) },
  checkForUpdates: { run: checkForUpdates },
} satisfies Handlers<'getUpdates' | 'checkForUpdates'>;
