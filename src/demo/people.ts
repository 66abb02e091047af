// Invented people for a demonstration: names, contacts and habits like a real service's, the same in every run.

/** A generator of numbers from 0 (inclusive) to 1 by a seed: mulberry32. Not for secrets. */
export function createDice(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const FIRST = [
  'Anna',
  'Boris',
  'Clara',
  'Daniel',
  'Elena',
  'Felix',
  'Greta',
  'Hugo',
  'Irina',
  'Jonas',
  'Katya',
  'Leon',
  'Maria',
  'Nikolai',
  'Olga',
  'Pavel',
  'Rita',
  'Sergey',
  'Tom',
  'Ulla',
  'Viktor',
  'Wanda',
  'Yusuf',
  'Zoe',
  'Amir',
  'Lin',
  'Анна',
  'Борис',
  'Вера',
  'Глеб',
  'Дарья',
  'Егор',
  'Жанна',
  'Зоя',
  'Иван',
  'Кира',
  'Лев',
  'Мария',
  'Никита',
  'Ольга',
  'Пётр',
  'Роман',
  'Света',
  'Тимур',
  'Ульяна',
  'Фёдор',
  'Эмма',
  'Юлия',
  'Яна',
  'Семён',
  'Алёна',
  'Максим',
] as const;
const LAST = [
  'Bauer',
  'Costa',
  'Dvorak',
  'Ellis',
  'Fischer',
  'Garcia',
  'Hansen',
  'Ivanov',
  'Jansen',
  'Keller',
  'Larsen',
  'Meyer',
  'Novak',
  'Olsen',
  'Petrov',
  'Quinn',
  'Rossi',
  'Schmidt',
  'Toth',
  'Ullmann',
  'Vogel',
  'Weber',
  'Young',
  'Zhang',
] as const;
const LAST_RU = [
  'Орлов',
  'Белый',
  'Волков',
  'Громов',
  'Дроздов',
  'Ершов',
  'Жуков',
  'Зимин',
  'Исаев',
  'Котов',
  'Лебедев',
  'Мельник',
] as const;
const TAGS = ['family', 'trial', 'vip', 'office', 'referral', 'telegram'] as const;

function pick<T>(from: readonly T[], dice: () => number): T {
  const found = from[Math.floor(dice() * from.length)];
  if (found === undefined) throw new Error('nothing to pick from');
  return found;
}

/** The Russian form of a surname depends on the person's gender. */
function inRussian(first: string, last: string): string {
  const isFeminine = /[ая]$/.test(first) && first !== 'Никита';
  if (!isFeminine || last === 'Мельник') return last;
  return last.endsWith('ый') ? `${last.slice(0, -2)}ая` : `${last}а`;
}

export interface Person {
  readonly name: string;
  readonly contact: string;
  readonly note: string;
  readonly tags: readonly string[];
}

/** A person; `index` makes contacts distinct. */
export function createPerson(index: number, dice: () => number): Person {
  const first = pick(FIRST, dice);
  const last = /^[А-Яа-яЁё]/.test(first) ? inRussian(first, pick(LAST_RU, dice)) : pick(LAST, dice);
  const isByMail = dice() < 0.3;
  const handle = `${isByMail ? 'user' : '@user'}${index + 1}`;
  return {
    name: `${first} ${last}`,
    contact: dice() < 0.1 ? '' : isByMail ? `${handle}@example.com` : handle,
    note: dice() < 0.04 ? 'Pays for the whole year' : '',
    tags: dice() < 0.25 ? [pick(TAGS, dice)] : [],
  };
}

/** Whether the user connects every day; the others do so now and then, or never. */
export function isRegular(userId: number): boolean {
  return createDice(userId * 131 + 11)() < 0.35;
}
