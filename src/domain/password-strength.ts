// Estimates how well a password resists guessing, by its length and by common patterns. It uses no dictionary.

type StrengthNote = 'short' | 'common' | 'repeats' | 'sequence' | 'name' | 'hint';

export interface Strength {
  /** 0: too short, refused; 1 weak, 2 fair, 3 good, 4 strong. */
  readonly level: 0 | 1 | 2 | 3 | 4;
  /** Advice; null: none. */
  readonly note: StrengthNote | null;
  /** Missing characters, for `short`. */
  readonly missing: number;
}

const MIN_LENGTH = 8;

/** Stems of the most common leaked passwords. */
const COMMON =
  /(passw(or)?d|qwert|azerty|letmein|welcome|admin|iloveyou|monkey|dragon|master|login|secret|gatehouse|panel|парол|йцукен|привет)/i;
const ROWS = [
  'abcdefghijklmnopqrstuvwxyz',
  '0123456789',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  'абвгдеёжзийклмнопрстуфхцчшщъыьэюя',
  'йцукенгшщзхъ',
  'фывапролджэ',
  'ячсмитьбю',
];
const SEQUENCE = 4;

/** Estimated entropy in bits; repeated characters and keyboard rows count once. */
export function guessBits(password: string): number {
  const characters = [...password];
  let alphabet = 0;
  if (/[a-z]/.test(password)) alphabet += 26;
  if (/[A-Z]/.test(password)) alphabet += 26;
  if (/\d/.test(password)) alphabet += 10;
  if (/[^\p{L}\d]/u.test(password)) alphabet += 24;
  if (/[^\P{L}a-zA-Z]/u.test(password)) alphabet += 33;
  const unpredictable = characters.filter((character, index) => !follows(characters[index - 1], character)).length;
  const distinct = new Set(characters).size;
  // Few distinct characters limit the entropy, however long the password is.
  return Math.min(unpredictable, distinct * 2) * Math.log2(Math.max(alphabet, 2));
}

/** Whether a character repeats the one before it, or follows it in a keyboard or alphabet row. */
function follows(before: string | undefined, character: string): boolean {
  if (before === undefined) return false;
  const [a, b] = [before.toLowerCase(), character.toLowerCase()];
  return (
    a === b || ROWS.some((row) => row.includes(a) && Math.abs(row.indexOf(a) - row.indexOf(b)) === 1 && row.includes(b))
  );
}

function hasSequence(password: string): boolean {
  const characters = [...password];
  let run = 1;
  for (let index = 1; index < characters.length; index++) {
    run = follows(characters[index - 1], characters[index] ?? '') ? run + 1 : 1;
    if (run >= SEQUENCE) return true;
  }
  return false;
}

function without(text: string, part: string): string {
  const at = text.toLowerCase().indexOf(part.toLowerCase());
  return at < 0 ? text : text.slice(0, at) + text.slice(at + part.length);
}

/** `name`: the administrator's user name, which an attacker knows. */
export function computeStrength(password: string, name = ''): Strength {
  const length = [...password].length;
  if (length < MIN_LENGTH) return { level: 0, note: 'short', missing: MIN_LENGTH - length };
  const withoutName = name.length >= 3 ? without(password, name) : password;
  const isNamed = withoutName !== password;
  const isCommon = COMMON.test(withoutName);
  const bits = guessBits(withoutName.replace(COMMON, '')) + (isCommon ? 8 : 0);
  const level = bits < 40 ? 1 : bits < 56 ? 2 : bits < 76 ? 3 : 4;
  const note = isNamed
    ? 'name'
    : isCommon
      ? 'common'
      : new Set(password.toLowerCase()).size <= length / 3
        ? 'repeats'
        : hasSequence(password)
          ? 'sequence'
          : 'hint';
  return { level, note: level >= 3 ? null : note, missing: 0 };
}

/** Whether a password of sufficient length is refused. */
export function isWeak(password: string, name: string): boolean {
  return computeStrength(password, name).level === 1;
}

/** Entropy of a dictionary word in bits, whatever its length. */
const WORD_BITS = 13;

const WORD = /[a-z]{5,}|[A-Z][a-z]{4,}|[A-Z]{5,}/g;

/** Estimated entropy in bits of a random URL-safe secret; words and repetitions in it count for little. */
export function secretBits(secret: string): number {
  const words = secret.match(WORD) ?? [];
  const rest = [...secret.replaceAll(WORD, '')];
  const sizes = [/[a-z]/, /[A-Z]/, /\d/, /[-_]/].map(
    (kind, index) => (kind.test(secret) ? [26, 26, 10, 2][index] : 0) ?? 0,
  );
  const alphabet = sizes.reduce((sum, size) => sum + size, 0);
  const unpredictable = rest.filter((character, index) => character !== rest[index - 1]).length;
  const distinct = new Set(words).size;
  return Math.min(unpredictable, new Set(rest).size * 2) * Math.log2(Math.max(alphabet, 2)) + distinct * WORD_BITS;
}
