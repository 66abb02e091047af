// The index behind `q`: a substring in any case and script, without reading users. SQLite's LIKE folds case for ASCII alone.

import type { NewUser } from '../../core/ports/users.ts';
import { foldText } from '../../core/sort-key.ts';
import type { Connection } from '../database.ts';

/** Between the fields, so that nothing is found across two of them. */
const SEPARATOR = '\u001f';
const SEPARATOR_CODE = 0x1f;
const CONTROL = /\p{Cc}/u;

type Text = Pick<NewUser, 'name' | 'contact' | 'note' | 'tags'>;

/** What is searched of a user, folded. */
export function searchedText({ name, contact, note, tags }: Text): string {
  let text = name + SEPARATOR + contact;
  if (note !== '') text += SEPARATOR + note;
  for (const tag of tags) text += SEPARATOR + tag;
  return foldText(text);
}

/** A search as the index takes it. `id`: the user with that id matches too. */
export interface Search {
  readonly table: 'user_text' | 'user_grams';
  readonly match: string;
  readonly folded: string;
  readonly id: number | null;
}

/** The search for `q`; 'nothing' where no text can hold it. `q` is not empty. */
export function toSearch(q: string): Search | 'nothing' {
  if (CONTROL.test(q) || !q.isWellFormed()) return 'nothing';
  const folded = foldText(q);
  const number = /^[1-9][0-9]{0,15}$/.test(q) ? Number(q) : null;
  const id = number !== null && Number.isSafeInteger(number) ? number : null;
  const [first, second, third] = folded;
  if (first === undefined) return 'nothing';
  if (third !== undefined) return { table: 'user_text', match: `"${folded.replaceAll('"', '""')}"`, folded, id };
  return { table: 'user_grams', match: word(first) + (second === undefined ? '' : word(second)), folded, id };
}

/** Letters and digits that name a character. */
const WIDTH = 4;
const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz';

/** A character as four letters and digits: what the tokenizer takes for a word. Two characters make a word of eight. */
function word(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(DIGITS.length).padStart(WIDTH, '0');
}

// Written as bytes, as very many users are written at once: putting strings together takes ten times as long.
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

/** Every character and every pair of neighbours in a field, as words. */
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

/** Writes the index; to be called in the transaction that writes the user. */
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
 * Makes `text_holds(name, contact, note, tags, folded)` known to SQL: whether a row holds the search, for lists that are walked
 * in another order than the index's.
 */
export function registerTextHolds(db: Connection): void {
  const options = { deterministic: true, directOnly: true };
  db.function('text_holds', options, (name: string, contact: string, note: string, tags: string, folded: string) => {
    const row = { name, contact, note, tags: tags === '[]' ? [] : (JSON.parse(tags) as string[]) };
    return searchedText(row).includes(folded) ? 1 : 0;
  });
}
