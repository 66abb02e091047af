// Updates: the newest known version, checked daily or on request. Only the command line installs them.

import type { Input, Output } from '../../contract/table.ts';
import type { ReleaseManifest, UpdateProblem } from '../../contract/updates.ts';
import { DAY_MS } from '../../domain/limits.ts';
import { isNewer } from '../../domain/version.ts';
import type { AsyncContext, Context, Env, Handlers } from '../kernel/context.ts';
import { toInstant } from '../kernel/wire.ts';
import { notifyAdmins, type Render } from '../notify/admin-notices.ts';
import type { Result } from '../ports/call.ts';
import type { UpdateSeenValue } from '../ports/settings.ts';

export type UpdateEnv = Pick<
  Env,
  'announce' | 'clock' | 'forgetSettings' | 'queue' | 'releases' | 'settings' | 'store' | 'tasks' | 'version'
>;

function viewUpdates({ releases, version, settings }: UpdateEnv): Output<'getUpdates'> {
  const { updateChecks, updateSeen, updateLast } = settings();
  const { at, problem, release } = updateSeen;
  const installation = releases?.installation ?? 'checkout';
  // The desktop application has its own updater.
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
 * Reads the newest release and stores the result. A release signed before a known one, or an expired one, is refused: a newer one may be withheld.
 */
export async function checkReleases(env: UpdateEnv): Promise<ReleaseManifest | { readonly problem: UpdateProblem }> {
  const found = env.releases ? await env.tasks.untilStop(env.releases.latest()) : ({ problem: 'no_source' } as const);
  const now = env.clock.now();
  const { updateSeen } = env.settings();
  const problem = 'problem' in found ? found.problem : findManifestProblem(found, updateSeen, now);
  const release = problem === null && 'version' in found ? toSeenRelease(found) : updateSeen.release;
  await env.queue.run(() =>
    env.store.write(() => {
      env.store.settings.set({ updateSeen: { at: now, problem, release } });
      env.forgetSettings();
      const offered = viewUpdates(env).available;
      if (offered === null) return;
      const { version } = offered;
      const render: Render = ({ t }) => t('admin.notice.update', { version, present: env.version });
      notifyAdmins({ ...env, settings: env.settings(), now }, { kind: 'update', key: version, render });
    }),
  );
  env.announce();
  return problem === null ? found : { problem };
}

function findManifestProblem(
  { signed_at, expires_at }: ReleaseManifest,
  { release }: UpdateSeenValue,
  now: number,
): UpdateProblem | null {
  if (release !== null && Date.parse(signed_at) < Date.parse(release.signedAt)) return 'older_than_seen';
  return Date.parse(expires_at) <= now ? 'expired' : null;
}

function toSeenRelease({
  version,
  published_at,
  signed_at,
  notes,
  files,
}: ReleaseManifest): UpdateSeenValue['release'] {
  const platforms = files.map(({ platform }) => platform);
  return { version, publishedAt: published_at, signedAt: signed_at, notes, platforms };
}

/** Creates the periodic check. A panel that never checked does so at once. */
export function createUpdateSchedule(env: UpdateEnv): () => Promise<void> {
  return async () => {
    const { updateChecks, updateSeen } = env.settings();
    if (!updateChecks || env.releases === undefined || env.releases.host === null) return;
    const now = env.clock.now();
    // After a clock was set back, the next check is due.
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
