// The link of the figure of users whose term ends within seven days.
import { USER_STATES } from '../../../../contract/users/users.ts';
import { DAY_MS } from '../../../../domain/limits.ts';
import { buildHash } from '../../router/route.ts';

/**
 * The list of exactly the users counted by `expiring_7d` of an overview: it has no disabled users, and includes the end of the seventh day.
 * `countedAt`: its `generated_at`. Users who have expired since then are not listed.
 */
export function expiringSoon(countedAt: string): string {
  const from = Date.parse(countedAt);
  return buildHash(['users'], {
    state: USER_STATES.filter((state) => state !== 'disabled' && state !== 'expired').join(),
    expires_after: countedAt,
    // Ranges exclude their end.
    expires_before: new Date(from + 7 * DAY_MS + 1).toISOString(),
    sort: 'expires_at',
  });
}
