// The stored form, right and wrong passwords, and the work done when there is no stored hash.
import { scryptSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { PasswordHasher } from '../core/ports/ports.ts';
import { createPasswordHasher } from './passwords.ts';

const quick = createPasswordHasher(10);

/** The stored form, made without the hasher. */
function hashAsStored(costLog2: number, r: number, p: number, password: string): string {
  const salt = Buffer.alloc(16, 7);
  const hash = scryptSync(password, salt, 32, { N: 2 ** costLog2, r, p, maxmem: 2 ** 28 });
  return ['scrypt', costLog2, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

describe('hash', () => {
  test('writes its parameters, a new salt each time and never the password', async () => {
    const [first, second] = await Promise.all([quick.hash('correct horse'), quick.hash('correct horse')]);
    expect(first).toMatch(/^scrypt\$10\$8\$1\$[\w-]{22}\$[\w-]{43}$/);
    expect(first).not.toBe(second);
    expect(first).not.toContain('correct');
  });

  test('costs N = 2^17, r = 8, p = 1 unless told otherwise', async () => {
    const hasher = createPasswordHasher();
    const stored = await hasher.hash('correct horse');
    expect(stored).toMatch(/^scrypt\$17\$8\$1\$/);
    expect(await hasher.verify('correct horse', stored)).toBe(true);
  });
});

describe('verify', () => {
  test('knows the password from any other, to its last character', async () => {
    const long = 'x'.repeat(255);
    const stored = await quick.hash(`${long}y`);
    expect(await quick.verify(`${long}y`, stored)).toBe(true);
    expect(await quick.verify(`${long}z`, stored)).toBe(false);
    expect(await quick.verify(long, stored)).toBe(false);
  });

  test('takes the parameters from what is stored', async () => {
    const older = await createPasswordHasher(9).hash('correct horse');
    expect(await quick.verify('correct horse', older)).toBe(true);
  });

  test('makes the hash with the very parameters that it names', async () => {
    for (const [costLog2, r, p] of [
      [10, 8, 1],
      [9, 16, 2],
    ] as const)
      expect(await quick.verify('correct horse', hashAsStored(costLog2, r, p, 'correct horse'))).toBe(true);
    const [, costLog2, r, p, salt = '', hash] = (await quick.hash('correct horse')).split('$');
    const options = { N: 2 ** Number(costLog2), r: Number(r), p: Number(p) };
    const made = scryptSync('correct horse', Buffer.from(salt, 'base64url'), 32, options);
    expect(hash).toBe(made.toString('base64url'));
  });

  test('refuses the right password against what has more behind its hash', async () => {
    expect(await quick.verify('correct horse', `${hashAsStored(10, 8, 1, 'correct horse')}!`)).toBe(false);
  });

  test('takes the same password in another Unicode form', async () => {
    const stored = await quick.hash('café-пароль'.normalize('NFD'));
    expect(await quick.verify('café-пароль'.normalize('NFC'), stored)).toBe(true);
  });

  test.each([null, '', 'scrypt$17$8$1$short$short', 'bcrypt$2b$10$abc'])(
    'refuses everything against %j',
    async (stored) => {
      expect(await quick.verify('', stored)).toBe(false);
      expect(await quick.verify('anything', stored)).toBe(false);
    },
  );
});

describe('isCommon', () => {
  test.each(['password', 'PassWord', 'password1', 'Password2026!', 'iloveyou!!', 'qwertyuiop'])(
    'knows %s',
    (password) => {
      expect(quick.isCommon(password)).toBe(true);
    },
  );

  test.each(['matthew13', 'Pookie123', 'p@$$w0rd', 'gdcc9921'])(
    'knows %s, which breaches contained often',
    (password) => {
      expect(quick.isCommon(password)).toBe(true);
    },
  );

  test.each(['violet otter under bridges', '2026-password', 'pass word', '', '!!!!!!!!', 'пароль-из-слов'])(
    'does not know %j',
    (password) => {
      expect(quick.isCommon(password)).toBe(false);
    },
  );
});

describe('strangers', () => {
  /** Chooses the last of equals, which is the newest and is refused. */
  const queued = createPasswordHasher(10, (count) => count - 1);
  const verifyAll = async (
    hasher: PasswordHasher,
    strangers: readonly (number | null)[],
    password = 'correct horse',
  ) => {
    const stored = await quick.hash('correct horse');
    return Promise.all(
      strangers.map((strangerAfter) =>
        hasher.verify(password, stored, { strangerAfter }).catch((error: Error) => error.message),
      ),
    );
  };
  const listRefused = (outcomes: readonly (string | boolean)[]) =>
    outcomes.flatMap((outcome, index) => (outcome === 'sign_in_busy' ? [index] : []));

  test('have one turn at a time: who failed least often first, among equals the one that is chosen', async () => {
    const stored = await quick.hash('correct horse');
    const done: string[] = [];
    const verify = (name: string, strangerAfter: number | null) =>
      queued.verify('wrong', stored, { strangerAfter }).then(() => done.push(name));
    const strangers = [
      verify('first', 9),
      verify('often', 5),
      verify('flood', 1),
      verify('new', 0),
      verify('newer', 0),
      verify('late', 3),
    ];
    await verify('known', null);
    expect(done).not.toContain('often');
    await Promise.all(strangers);
    expect(done.filter((name) => name !== 'known')).toEqual(['first', 'newer', 'new', 'flood', 'late', 'often']);
  });

  test('do not delay those who are known, who are never refused', async () => {
    const outcomes = await verifyAll(queued, [0, null, ...Array.from({ length: 65 }, () => 0)]);
    expect(outcomes.slice(0, 2)).toEqual([true, true]);
    expect(listRefused(outcomes)).toEqual([66]);
  });

  test('are refused where too many wait, those first who failed most often', async () => {
    const outcomes = await verifyAll(queued, [...Array.from({ length: 70 }, (_, index) => index), 0]);
    expect(listRefused(outcomes)).toEqual([64, 65, 66, 67, 68, 69]);
    expect(outcomes.at(-1)).toBe(true);
    expect(await verifyAll(queued, [0])).toEqual([true]);
  });

  test('have equal chances among equals, whenever they came', async () => {
    const rounds = await Promise.all(
      Array.from({ length: 20 }, () =>
        verifyAll(
          createPasswordHasher(4),
          Array.from({ length: 130 }, () => 0),
        ),
      ),
    );
    const refused = rounds.flatMap(listRefused);
    expect(refused).toHaveLength(20 * 65);
    // By order of arrival one of the halves would get no turn. Requests 1 to 64 came first.
    const early = refused.filter((index) => index <= 64).length;
    expect(early).toBeGreaterThan(20 * 10);
    expect(refused.length - early).toBeGreaterThan(20 * 10);
  });
});
