// "Stay signed in": stored only while the setting is on, resumed only until the session ends, deleted with it.
import { expect, it } from 'vitest';
import { createStaySignedIn } from './stay-signed-in.ts';

function setUp({ isEnabled = true, works = true, stored = null as string | null } = {}) {
  const state = { isEnabled, stored, token: 'current' as string | null };
  const panel = {
    storedSession: {
      read: async () => state.stored,
      write: async (token: string) => {
        if (works) state.stored = token;
        return works;
      },
      remove: async () => {
        state.stored = null;
      },
    },
  };
  const staySignedIn = createStaySignedIn({
    isEnabled: () => state.isEnabled,
    panel: () => panel,
    token: () => state.token,
  });
  const resumed: string[] = [];
  const session = (isValid: boolean) => ({
    resume(token: string) {
      resumed.push(token);
      return isValid;
    },
  });
  return { state, staySignedIn, panel, session, resumed };
}

it('resumes the stored session', async () => {
  const { staySignedIn, panel, session, resumed, state } = setUp({ stored: 'old' });
  await staySignedIn.resume(panel, session(true));
  expect([resumed, state.stored]).toEqual([['old'], 'old']);
});

it('deletes a session that has ended', async () => {
  const { staySignedIn, panel, session, state } = setUp({ stored: 'old' });
  await staySignedIn.resume(panel, session(false));
  expect(state.stored).toBeNull();
});

it('reads nothing while the setting is off', async () => {
  const { staySignedIn, panel, session, resumed } = setUp({ isEnabled: false, stored: 'old' });
  await staySignedIn.resume(panel, session(true));
  expect(resumed).toEqual([]);
});

it('follows sign-in and sign-out in order', async () => {
  const { staySignedIn, state } = setUp();
  staySignedIn.onSession('first');
  staySignedIn.onSession(null);
  staySignedIn.onSession('second');
  await staySignedIn.idle();
  expect(state.stored).toBe('second');
  staySignedIn.onSession(null);
  await staySignedIn.idle();
  expect(state.stored).toBeNull();
});

it('stores the current session when enabled and deletes it when disabled', async () => {
  const { staySignedIn, state } = setUp();
  await expect(staySignedIn.enable(true)).resolves.toBe(true);
  expect(state.stored).toBe('current');
  await expect(staySignedIn.enable(false)).resolves.toBe(true);
  expect(state.stored).toBeNull();
});

it.each([
  ['the keychain stores nothing', { works: false }, 'current'],
  ['no user is signed in', {}, null],
])('resolves to false if %s', async (_what, options, token) => {
  const { staySignedIn, state } = setUp(options);
  state.token = token;
  await expect(staySignedIn.enable(true)).resolves.toBe(false);
});
