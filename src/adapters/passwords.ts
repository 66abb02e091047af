// Password hashing behind the core's port: scrypt with the parameters that OWASP's Password Storage Cheat Sheet names.
import { randomBytes, randomInt, scrypt, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import pLimit from 'p-limit';
import { PanelError } from '../core/kernel/panel-error.ts';
import type { PasswordHasher } from '../core/ports/ports.ts';

/**
 * Passwords of at least 8 characters in lower case, one a line: those of `passwords` in @zxcvbn-ts/language-common 4.1.3 (MIT), the most
 * common first; then those in Django 5.2 (BSD) that it lacks, from the 20,000 that breaches contained most often (Pwned Passwords).
 */
const COMMON_PASSWORDS = new URL('../../resources/common-passwords.txt', import.meta.url);

const HASH_BYTES = 32;
const SALT_BYTES = 16;
const BLOCK_SIZE = 8;
const PARALLELISM = 1;
/** One hash takes 128 MiB and a core for a third of a second: more at once would let sign-ins starve the panel. */
const AT_ONCE = 2;
/** Unknown browsers that may wait for their turn; beyond that, one with the most failures is refused and has to try again. */
const STRANGERS_WAITING = 64;
const COME_AGAIN_S = 5;

type Parameters = { readonly costLog2: number; readonly blockSize: number; readonly parallelism: number };
type Stored = Parameters & { readonly salt: Buffer; readonly hash: Buffer };

/**
 * A hasher that writes `scrypt$<log2 N>$<r>$<p>$<salt>$<hash>` (base64url) and verifies with the stored parameters. Tests lower `costLog2`,
 * and choose among equal waiting requests themselves.
 */
export function createPasswordHasher(costLog2 = 17, choose: (count: number) => number = randomInt): PasswordHasher {
  const limit = pLimit(AT_ONCE);
  const parameters = { costLog2, blockSize: BLOCK_SIZE, parallelism: PARALLELISM };
  const waitTurn = createStrangersQueue(choose);
  const derive = (password: string, salt: Buffer, by: Parameters, length: number) =>
    limit(() => deriveKey(password, salt, by, length));

  let common: ReadonlySet<string> | null = null;

  return {
    isCommon(password) {
      common ??= new Set(readFileSync(COMMON_PASSWORDS, 'utf8').trim().split(/\s+/));
      const lower = password.toLowerCase();
      // Common additions: a year and an exclamation mark.
      return common.has(lower) || common.has(lower.replace(/[^\p{L}]+$/u, ''));
    },
    async hash(password) {
      const salt = randomBytes(SALT_BYTES);
      const hash = await derive(password, salt, parameters, HASH_BYTES);
      const { blockSize, parallelism } = parameters;
      return ['scrypt', costLog2, blockSize, parallelism, encode(salt), encode(hash)].join('$');
    },
    async verify(password, stored, turn) {
      const endTurn = turn && turn.strangerAfter !== null ? await waitTurn(turn.strangerAfter) : null;
      try {
        const known = stored === null ? null : parse(stored);
        if (known === null) {
          await derive(password, Buffer.alloc(SALT_BYTES), parameters, HASH_BYTES);
          return false;
        }
        const hash = await derive(password, known.salt, known, known.hash.length);
        return timingSafeEqual(hash, known.hash);
      } finally {
        endTurn?.();
      }
    },
  };
}

type Waiting = { readonly failed: number; begin(): void; refuse(): void };

/**
 * Lets one unknown browser at a time have a hash computed; resolves with the function that ends its turn. The one with the fewest failures
 * is next. Equals have equal chances: by order of arrival, a flood of new networks would always come before the administrator's new
 * browser.
 */
function createStrangersQueue(choose: (count: number) => number): (failed: number) => Promise<() => void> {
  const waiting: Waiting[] = [];
  let isTaken = false;

  const removeOneWith = (failed: number): Waiting | undefined => {
    const equals = waiting.filter((each) => each.failed === failed);
    const chosen = equals[choose(equals.length)];
    if (chosen) waiting.splice(waiting.indexOf(chosen), 1);
    return chosen;
  };
  const end = () => {
    if (waiting.length === 0) isTaken = false;
    else removeOneWith(Math.min(...waiting.map(({ failed }) => failed)))?.begin();
  };

  return (failed) => {
    if (!isTaken) {
      isTaken = true;
      return Promise.resolve(end);
    }
    return new Promise((resolve, reject) => {
      waiting.push({
        failed,
        begin: () => resolve(end),
        refuse: () => reject(new PanelError('sign_in_busy', undefined, COME_AGAIN_S)),
      });
      if (waiting.length > STRANGERS_WAITING) removeOneWith(Math.max(...waiting.map((each) => each.failed)))?.refuse();
    });
  };
}

/** Keyboards send the same password in different Unicode forms (NIST SP 800-63B section 3.1.1.2: NFKC). */
function deriveKey(password: string, salt: Buffer, by: Parameters, length: number): Promise<Buffer> {
  const N = 2 ** by.costLog2;
  const options = { N, r: by.blockSize, p: by.parallelism, maxmem: 128 * N * by.blockSize * by.parallelism + 2 ** 22 };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, length, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

const encode = (bytes: Buffer) => bytes.toString('base64url');

/** null: no version of this hasher wrote the text. */
function parse(stored: string): Stored | null {
  const match = /^scrypt\$(\d{1,2})\$(\d{1,2})\$(\d)\$([\w-]{22,})\$([\w-]{43,})$/.exec(stored);
  if (!match) return null;
  const [, costLog2, blockSize, parallelism, salt = '', hash = ''] = match;
  const parameters = { costLog2: Number(costLog2), blockSize: Number(blockSize), parallelism: Number(parallelism) };
  return { ...parameters, salt: Buffer.from(salt, 'base64url'), hash: Buffer.from(hash, 'base64url') };
}
