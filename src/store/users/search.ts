// The text search of `q`: substrings in any case and script, by an index of its own, as SQLite's LIKE ignores case only in ASCII.

import { foldText } from '../../core/kernel/sort-key.ts';
import type { NewUser } from '../../core/ports/users.ts';
import { parseOwnJson } from '../../domain/own-json.ts';
import type { Connection } from '../database.ts';
import type { Params, Statements } from '../statements.ts';

/** Separates the fields, so that no match spans two of them. */
const SEPARATOR = '\u001f';
const SEPARATOR_CODE = 0x1f;
const CONTROL = /\p{Cc}/u;

type Text = Pick<NewUser, 'name' | 'contact' | 'note' | 'tags' | 'externalId'>;

/** The searchable text of a user, case-folded. */
export function buildSearchText({ name, contact, note, tags, externalId }: Text): string {
  let text = name + SEPARATOR + contact;
  if (note !== '') text += SEPARATOR + note;
  for (const tag of tags) text += SEPARATOR + tag;
  if (externalId !== null) text += SEPARATOR + externalId;
  return foldText(text);
}

/** A search in terms of the index. `id`: the user with that id matches too. */
export interface Search {
  readonly table: 'user_text' | 'user_grams';
  readonly match: string;
  readonly folded: string;
  readonly id: number | null;
}

/** The search for `q`, which is not empty; 'nothing': no text can contain it. */
export function toSearch(q: string): Search | 'nothing' {
  if (CONTROL.test(q) || !q.isWellFormed()) return 'nothing';
  const folded = foldText(q);
  const number = /^[1-9][0-9]{0,15}$/.test(q) ? Number(q) : null;
  const id = number !== null && Number.isSafeInteger(number) ? number : null;
  const [first, second, third] = folded;
  if (first === undefined) return 'nothing';
  if (third !== undefined) return { table: 'user_text', match: quoteTerm(folded), folded, id };
  return { table: 'user_grams', match: word(first) + (second === undefined ? '' : word(second)), folded, id };
}

/** Base-36 digits of one character. */
const WIDTH = 4;
const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz';

/** A character as four base-36 digits, which the tokenizer treats as a word. Two characters are a word of eight digits. */
function word(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(DIGITS.length).padStart(WIDTH, '0');
}

// Written as bytes: a bulk load builds very many, and concatenating strings takes ten times as long.
let bytes = Buffer.alloc(65_536);
const SPACE = 0x20;

function write(codePoint: number, at: number): number {
  let rest = codePoint;
  for (let index = at + WIDTH - 1; index >= at; index -= 1) {
    bytes[index] = DIGITS.charCodeAt(rest % DIGITS.length);
    rest = Math.floor(rest / DIGITS.length);
  }
  return at + WIDTH;
}

/** Every character and every pair of adjacent characters of a field, as words. */
export function toGrams(folded: string): string {
  const most = folded.length * (3 * WIDTH + 2);
  if (bytes.length < most) bytes = Buffer.alloc(most);
  let end = 0;
  let before = -1;
  for (let index = 0; index < folded.length; index += 1) {
    const codePoint = folded.codePointAt(index) ?? 0;
    if (codePoint > 0xffff) index += 1;
    if (codePoint === SEPARATOR_CODE) {
      before = -1;
      continue;
    }
    if (before >= 0) {
      end = write(codePoint, write(before, end));
      bytes[end] = SPACE;
      end += 1;
    }
    end = write(codePoint, end);
    bytes[end] = SPACE;
    end += 1;
    before = codePoint;
  }
  return bytes.toString('latin1', 0, end);
}

export interface SearchIndex {
  insert(id: number, folded: string): void;
  replace(id: number, folded: string): void;
  remove(id: number): void;
}

/** Writes the index, in the transaction that writes the user. */
export function createSearchIndex(db: Connection): SearchIndex {
  const insertText = db.prepare<[number, string]>('INSERT INTO user_text (rowid, text) VALUES (?, ?)');
  const insertGrams = db.prepare<[number, string]>('INSERT INTO user_grams (rowid, grams) VALUES (?, ?)');
  const removeText = db.prepare<[number]>('DELETE FROM user_text WHERE rowid = ?');
  const removeGrams = db.prepare<[number]>('DELETE FROM user_grams WHERE rowid = ?');
  const insert = (id: number, folded: string) => {
    insertText.run(id, folded);
    insertGrams.run(id, toGrams(folded));
  };
  const remove = (id: number) => {
    removeText.run(id);
    removeGrams.run(id);
  };
  return {
    insert,
    remove,
    replace: (id, folded) => {
      remove(id);
      insert(id, folded);
    },
  };
}

/**
 * Registers the SQL function `text_holds(name, contact, note, tags, external_id, folded)`: whether a row contains the search. For lists
 * that are read in another order than the index's.
 */
export function registerTextHolds(db: Connection): void {
  const options = { deterministic: true, directOnly: true };
  const contains = (
    name: string,
    contact: string,
    note: string,
    tagsText: string,
    externalId: string | null,
    folded: string,
  ) => {
    const tags = tagsText === '[]' ? [] : (parseOwnJson(tagsText) as string[]);
    return buildSearchText({ name, contact, note, tags, externalId }).includes(folded) ? 1 : 0;
  };
  db.function('text_holds', options, contains);
}

/** At most this many users are read to check whether they contain the text. */
const MAX_READ = 200;
/** How many of the newest users with a part are read to estimate how rare it is. */
const PROBED = 32;
/** Parts that are searched together. */
const PARTS = 3;
/** Parts of a long text that are probed. */
const MAX_PROBED = 24;

const MATCHING = 'SELECT rowid AS id FROM user_text WHERE user_text MATCH :match';
const PROBE = `SELECT count(*), min(id), max(id) FROM (${MATCHING} ORDER BY rowid DESC LIMIT ${PROBED})`;
const CANDIDATES = `${MATCHING} LIMIT :most`;
const HOLDING = `SELECT u.id FROM json_each(:ids) AS wanted CROSS JOIN users AS u ON u.id = wanted.value
  WHERE text_holds(u.name, u.contact, u.note, u.tags, u.external_id, :folded)`;

/** The ids of all users that contain the text; null: too many would be read, or the index finds them directly. */
export type Finder = (search: Search) => readonly number[] | null;

/**
 * Finds the few users that contain a rare text by its rarest parts: a phrase query would compare every user that has the common ones.
 * `most`: users that may be read, lowered by tests.
 */
export function createFinder(statements: Statements, most = MAX_READ): Finder {
  /** The mean distance of ids with this part; Infinity if there are few. */
  function rarity(part: string): number {
    const match: Params = { match: quoteTerm(part) };
    const [count, first, last] = statements.rows<[number, number | null, number | null]>(PROBE, match)[0] ?? [0, 0, 0];
    return count < PROBED ? Number.POSITIVE_INFINITY : ((last ?? 0) - (first ?? 0)) / PROBED;
  }

  return ({ table, folded }) => {
    if (table !== 'user_text') return null;
    const parts = listTrigrams(folded);
    if (parts.length < 2) return null;
    const rare = parts
      .map((part) => ({ part, rarity: rarity(part) }))
      .sort((a, b) => (a.rarity === b.rarity ? 0 : b.rarity - a.rarity))
      .slice(0, PARTS);
    const match = rare.map(({ part }) => quoteTerm(part)).join(' AND ');
    const candidates = statements.column<number>(CANDIDATES, { match, most: most + 1 });
    if (candidates.length > most) return null;
    return statements.column<number>(HOLDING, { ids: JSON.stringify(candidates), folded });
  };
}

function listTrigrams(folded: string): string[] {
  const characters = [...folded];
  const parts = new Set<string>();
  const step = Math.max(1, Math.floor((characters.length - 2) / MAX_PROBED));
  for (let index = 0; index + 3 <= characters.length; index += step) {
    parts.add(characters.slice(index, index + 3).join(''));
  }
  return [...parts];
}

function quoteTerm(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
