// "Stay signed in": kept only while it is wanted, resumed only while it lasts, forgotten with the session.
import { expect, it } from 'vitest';
import { createSessionKeeper } from './session-keeper.ts';

function world({ wanted = true, works = true, kept = null as string | null } = {}) {
  const state = { wanted, kept, token: 'now' as string | null };
  const panel = {
    keptSession: {
      find: async () => state.kept,
      keep: async (token: string) => {
        if (works) state.kept = token;
        return works;
      },
      forget: async () => {
        state.kept = null;
      },
    },
  };
  const keeper = createSessionKeeper({
    isWanted: () => state.wanted,
    panel: () => panel,
    token: () => state.token,
  });
  const resumed: string[] = [];
  const door = (isOpen: boolean) => ({
    resume(token: string) {
      resumed.push(token);
      return isOpen;
    },
  });
  return { state, keeper, panel, door, resumed };
}

it('resumes what was kept', async () => {
  const { keeper, panel, door, resumed, state } = world({ kept: 'old' });
  await keeper.resume(panel, door(true));
  expect([resumed, state.kept]).toEqual([['old'], 'old']);
});

it('forgets what has ended', async () => {
  const { keeper, panel, door, state } = world({ kept: 'old' });
  await keeper.resume(panel, door(false));
  expect(state.kept).toBeNull();
});

it('does not look where it is not wanted', async () => {
  const { keeper, panel, door, resumed } = world({ wanted: false, kept: 'old' });
  await keeper.resume(panel, door(true));
  expect(resumed).toEqual([]);
});

it('follows sign-in and sign-out, the last one counts', async () => {
  const { keeper, state } = world();
  keeper.changed('first');
  keeper.changed(null);
  keeper.changed('second');
  await keeper.settled();
  expect(state.kept).toBe('second');
  keeper.changed(null);
  await keeper.settled();
  expect(state.kept).toBeNull();
});

it('begins with the session of now and ends with nothing', async () => {
  const { keeper, state } = world();
  await expect(keeper.stay(true)).resolves.toBe(true);
  expect(state.kept).toBe('now');
  await expect(keeper.stay(false)).resolves.toBe(true);
  expect(state.kept).toBeNull();
});

it.each([
  ['the keychain keeps nothing', { works: false }, 'now'],
  ['nobody is signed in', {}, null],
])('says so where %s', async (_what, options, token) => {
  const { keeper, state } = world(options);
  state.token = token;
  await expect(keeper.stay(true)).resolves.toBe(false);
});
