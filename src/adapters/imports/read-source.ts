// Finds out which panel files are of, and reads them as one neutral document.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import {
  CREDENTIAL_FORMS,
  DOCUMENT_LIMITS,
  type DocumentUser,
  documentHeader,
  documentUser,
  EXPORT_FORMAT,
  type ExportDocument,
  type ImportSource,
} from '../../contract/imports/document.ts';
import { type JsonBounds, JsonRefusal, parseForeignJson } from '../../domain/foreign-json.ts';
import { credentialFamily } from '../../domain/nodes/inbound-credentials.ts';
import { checkFile, isDatabase, openForeignDatabase, toRefusal } from './foreign-database.ts';
import { isHiddify, readHiddify } from './hiddify.ts';
import { ImportRefusal } from './import-refusal.ts';
import { isList, readList } from './list.ts';
import { isMarzban, readMarzban } from './marzban.ts';
import { isMarzneshin, readMarzneshin } from './marzneshin.ts';
import { isPasarGuard, readPasarGuard } from './pasarguard.ts';
import { isRemnawave, readRemnawave } from './remnawave.ts';
import type { LeftOut, SourceDocument } from './source-document.ts';
import { isThreeXui, readThreeXui } from './three-x-ui.ts';
import { cleanText, type Json, toArray, toObject, toText } from './values.ts';

/** Of a JSON file, and of a text in a database. */
const BOUNDS: JsonBounds = { bytes: 256 * 1024 ** 2, values: 50_000_000, depth: 64 };

const MAX_TEXT_BYTES = 50_000_000;

export interface ImportRequest {
  readonly paths: readonly string[];
  /** Null: found out. */
  readonly source: ImportSource | null;
  /** Where databases are copied to, for the owner alone. */
  readonly folder: string;
  readonly now: number;
}

/** Throws ImportRefusal, or PanelError `storage_full`. */
export function readSource(request: ImportRequest): ExportDocument {
  try {
    return readPaths(request);
  } catch (error) {
    throw toRefusal(error);
  }
}

function readPaths({ paths, source, folder, now }: ImportRequest): ExportDocument {
  const [database, ...others] = paths.filter((path) => checkFile(path) > 0 && isDatabase(path));
  if (others.length > 0) throw new ImportRefusal('unknown_source');
  const texts = paths.filter((path) => path !== database).map(readFile);
  const files = texts.map(({ json }) => json);
  const requireSource = (found: ImportSource) => {
    if (source !== null && source !== found) throw new ImportRefusal('wrong_source');
  };
  const own = files.find(({ format }) => format === EXPORT_FORMAT);
  if (database === undefined && own) {
    requireSource('gatehouse');
    return readDocument(own);
  }
  const found = database === undefined ? readTexts(texts, now) : readDatabase(database, folder, files, now);
  requireSource(found.source);
  return toDocument(found, now);
}

function readTexts(files: readonly TextFile[], now: number): SourceDocument {
  const all = files.map(({ json }) => json);
  const hiddify = all.find(isHiddify);
  if (hiddify) return readHiddify(hiddify, now);
  if (isRemnawave(all)) return readRemnawave(all, now);
  const list = files.find(({ text }) => isList(text));
  if (list) return readList(list.text, now);
  throw new ImportRefusal('unknown_source');
}

const READERS = [
  [isThreeXui, readThreeXui],
  [isPasarGuard, readPasarGuard],
  [isMarzneshin, readMarzneshin],
  [isMarzban, readMarzban],
] as const;

function readDatabase(path: string, folder: string, files: readonly Json[], now: number): SourceDocument {
  using db = openForeignDatabase(path, folder);
  const [, read] = READERS.find(([isOf]) => isOf(db)) ?? [];
  if (read === undefined) throw new ImportRefusal('unknown_source');
  const config = files.find(({ inbounds }) => toArray(inbounds).length > 0) ?? null;
  const env = Object.fromEntries(
    files.flatMap((file) => Object.entries(file)).map(([name, value]) => [name, toText(value)]),
  );
  return read(db, { config, env, parse, now });
}

function parse(text: string | Uint8Array): unknown {
  try {
    return parseForeignJson(text, BOUNDS);
  } catch (error) {
    if (error instanceof JsonRefusal) throw new ImportRefusal('damaged');
    throw error;
  }
}

interface TextFile {
  /** Of an `.env` file its lines. */
  readonly json: Json;
  /** Empty if the file is JSON. */
  readonly text: string;
}

function readFile(path: string): TextFile {
  checkFile(path, BOUNDS.bytes);
  const bytes = readFileSync(path);
  const isJson = /^\s*[[{]/.test(bytes.subarray(0, 100).toString('utf8').replace('\uFEFF', ''));
  if (isJson) return { json: toObject(parse(bytes)), text: '' };
  if (bytes.length > MAX_TEXT_BYTES) throw new ImportRefusal('unknown_source');
  const text = bytes.toString('utf8');
  return { json: readEnv(text), text };
}

/** Line by line, by patterns that are read once: a file of any content takes time by its length alone. */
function readEnv(text: string): Json {
  const lines = text.split(/\r?\n/).flatMap((line) => {
    const [, name, value] = /^(?:export[ \t]+)?([A-Z][A-Z0-9_]*)[ \t]*=(.*)$/s.exec(line.trim()) ?? [];
    return name === undefined || value === undefined ? [] : [[name, unquote(value.trim())] as const];
  });
  return Object.fromEntries(lines);
}

function unquote(value: string): string {
  const isQuoted = value.length > 1 && /^["']/.test(value) && value.at(0) === value.at(-1);
  return isQuoted ? value.slice(1, -1) : value;
}

function toDocument(found: SourceDocument, now: number): ExportDocument {
  const { source, instance, links, inbounds, leftOut, hosts, users } = found;
  const digest = createHash('sha256').update(`${source} ${instance}`).digest('hex').slice(0, 16);
  checkCount('inbounds', inbounds);
  checkCount('hosts', hosts);
  checkCount('users', users);
  const checked = checkUsers(users);
  const left_out = [...leftOut, ...checked.leftOut].map(cleanLeftOut);
  checkCount('left_out', left_out);
  return {
    format: EXPORT_FORMAT,
    version: 1,
    source: { name: source, instance: digest, read_at: new Date(now).toISOString() },
    links,
    tariffs: [],
    inbounds: [...inbounds],
    left_out,
    hosts: [...hosts],
    users: checked.users,
  };
}

function checkCount(kind: keyof typeof DOCUMENT_LIMITS, { length }: readonly unknown[]): void {
  if (length > DOCUMENT_LIMITS[kind]) throw new ImportRefusal('too_large', `${kind}: ${length}`);
}

/** Users with values that this panel cannot store are left out. */
function checkUsers(users: readonly DocumentUser[]): { readonly users: DocumentUser[]; readonly leftOut: LeftOut[] } {
  const leftOut: LeftOut[] = [];
  const seen = new Set<string>();
  const fitting = users.flatMap((user) => {
    const { data, error } = documentUser.safeParse(user);
    const isRepeated = seen.has(user.id);
    seen.add(user.id);
    if (data && !isRepeated) return [data];
    const reason = isRepeated ? 'id: repeats another one' : describeIssue(error);
    leftOut.push({ kind: 'user', id: user.id, name: user.name, reason });
    return [];
  });
  return { users: fitting, leftOut };
}

/** Reports are printed at terminals. */
function cleanLeftOut({ kind, id, name, reason }: LeftOut): LeftOut {
  return { kind, id: cleanText(id, 300) || '-', name: cleanText(name, 300), reason: cleanText(reason, 500) };
}

function describeIssue(error: z.ZodError | undefined): string {
  const [issue] = error?.issues ?? [];
  return cleanText(`${issue?.path.join('.')}: ${issue?.message}`, 300);
}

/** A document of this panel's own form, which anyone may have written. */
function readDocument(given: Json): ExportDocument {
  const { users, ...rest } = given;
  const header = documentHeader.safeParse(rest);
  if (!header.success) throw new ImportRefusal('not_a_document', describeIssue(header.error));
  const list = z.array(z.unknown()).max(DOCUMENT_LIMITS.users).safeParse(users);
  if (!list.success) throw new ImportRefusal('not_a_document', 'users');
  const checked = list.data.map((user, index): DocumentUser => {
    const { data, error } = documentUser.safeParse(user);
    if (data) return data;
    throw new ImportRefusal('not_a_document', `users.${index}.${describeIssue(error)}`);
  });
  const document = { ...header.data, left_out: header.data.left_out.map(cleanLeftOut), users: checked };
  checkReferences(document);
  return document;
}

/** Ids are unique, and credentials have the form that their inbound needs. */
function checkReferences({ inbounds, tariffs, users }: ExportDocument): void {
  for (const [name, records] of Object.entries({ inbounds, tariffs, users })) {
    const seen = new Set<string>();
    for (const [index, { id }] of records.entries()) {
      if (seen.has(id)) throw new ImportRefusal('not_a_document', `${name}.${index}.id: repeats another one`);
      seen.add(id);
    }
  }
  const families = new Map(inbounds.map((inbound) => [inbound.id, credentialFamily(inbound)]));
  for (const [index, { credentials }] of users.entries()) {
    for (const [place, { inbound, value }] of credentials.by_inbound.entries()) {
      const where = `users.${index}.credentials.by_inbound.${place}`;
      const family = families.get(inbound);
      if (family === undefined) throw new ImportRefusal('not_a_document', `${where}.inbound: there is no such inbound`);
      const { error } = CREDENTIAL_FORMS[family].safeParse(value);
      if (error) throw new ImportRefusal('not_a_document', `${where}.value${describeIssue(error)}`);
    }
  }
}
