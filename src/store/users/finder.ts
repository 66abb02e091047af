// Finds the few users that hold a rare text by its rarest parts: a phrase would be compared with every user that has the common ones.
import type { Params, Statements } from '../statements.ts';
import type { Search } from './search.ts';

/** Up to so many users are read to see whether they hold the text. */
const READ = 200;
/** So many of the newest users with a part tell how rare it is, by how far they lie apart. */
const PROBED = 32;
/** Parts that are looked for together. */
const PARTS = 3;
/** Parts of a long text that are probed. */
const MOST_PROBED = 24;

const MATCH = 'SELECT rowid AS id FROM user_text WHERE user_text MATCH :match';
const PROBE = `SELECT count(*), min(id), max(id) FROM (${MATCH} ORDER BY rowid DESC LIMIT ${PROBED})`;
const CANDIDATES = `${MATCH} LIMIT :most`;
const HOLDING = `SELECT u.id FROM json_each(:ids) AS asked CROSS JOIN users AS u ON u.id = asked.value
  WHERE text_holds(u.name, u.contact, u.note, u.tags, :folded)`;

/** The ids of all users that hold the text of the search; null where they are too many to be read, or one look finds them anyway. */
export type Finder = (search: Search) => readonly number[] | null;

/** `most`: users that may be read, fewer in tests. */
export function createFinder(statements: Statements, most = READ): Finder {
  /** How far apart users with this part lie; Infinity where there are only few. */
  function rarity(part: string): number {
    const match: Params = { match: quoted(part) };
    const [count, first, last] = statements.rows<[number, number | null, number | null]>(PROBE, match)[0] ?? [0, 0, 0];
    return count < PROBED ? Number.POSITIVE_INFINITY : ((last ?? 0) - (first ?? 0)) / PROBED;
  }

  return ({ table, folded }) => {
    if (table !== 'user_text') return null;
    const parts = partsOf(folded);
    if (parts.length < 2) return null;
    const rare = parts
      .map((part) => ({ part, rarity: rarity(part) }))
      .sort((a, b) => (a.rarity === b.rarity ? 0 : b.rarity - a.rarity))
      .slice(0, PARTS);
    const match = rare.map(({ part }) => quoted(part)).join(' AND ');
    const candidates = statements.column<number>(CANDIDATES, { match, most: most + 1 });
    if (candidates.length > most) return null;
    return statements.column<number>(HOLDING, { ids: JSON.stringify(candidates), folded });
  };
}

function partsOf(folded: string): string[] {
  const characters = [...folded];
  const parts = new Set<string>();
  const step = Math.max(1, Math.floor((characters.length - 2) / MOST_PROBED));
  for (let index = 0; index + 3 <= characters.length; index += step) {
    parts.add(characters.slice(index, index + 3).join(''));
  }
  return [...parts];
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
