// Where the figure of users whose term ends within seven days leads.
import { USER_STATES } from '../../../../contract/users/users.ts';
import { DAY_MS } from '../../../../domain/limits.ts';
import { buildHash } from '../../router/route.ts';

/**
 * The list of exactly those whom `expiring_7d` of an overview counts, which has no disabled users and the end of the seventh day.
 * `countedAt`: its `generated_at`. Who has expired since then is not in it.
 */
export function expiringSoon(countedAt: string): string {
  const from = Date.parse(countedAt);
  return buildHash(['users'], {
    state: USER_STATES.filter((state) => state !== 'disabled' && state !== 'expired').join(),
    expires_after: countedAt,
    // The end of a range is not in it.
    expires_before: new Date(from + 7 * DAY_MS + 1).toISOString(),
    sort: 'expires_at',
  });
}
