// The list of users whose term ends soon: counted from the time of the figure, and including the end of the seventh day.
import { expect, it } from 'vitest';
import { parseRoute } from '../../router/route.ts';
import { expiringSoon } from './expiring-soon.ts';

it('opens the list of those whom the overview counted', () => {
  expect(Object.fromEntries(parseRoute(expiringSoon('2026-11-20T10:42:10.120Z')).query)).toEqual({
    state: 'active,on_hold,limited',
    expires_after: '2026-11-20T10:42:10.120Z',
    expires_before: '2026-11-27T10:42:10.121Z',
    sort: 'expires_at',
  });
});
