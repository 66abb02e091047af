// A list of users without a panel: lines with share links, or CSV with a line of names of its columns.
import type { DocumentUser } from '../../contract/imports/document.ts';
import { parseForeignJson } from '../../domain/foreign-json.ts';
import { readPasted } from '../../domain/users/pasted.ts';
import { fitFamilies, hashId } from './secrets.ts';
import { buildUser, createLosses, type LeftOut, type SourceDocument, type SourceUser } from './source-document.ts';
import { cleanText, parseInstant, parseUtc, toBytes, toText, toUuid } from './values.ts';

const GIB = 1024 ** 3;
/** Of the JSON in a link of VMess. */
const BOUNDS = { bytes: 32_768, values: 1000, depth: 8 };
const SHARE_LINK = /^(?:vless|vmess|trojan|ss|hysteria2|hy2|wireguard|wg):\/\//i;
/** Columns by the names that lists use for them. */
const COLUMNS = {
  name: ['name', 'username', 'user', 'email', 'remark'],
  uuid: ['uuid', 'id'],
  password: ['password'],
  link: ['link', 'url', 'config'],
  note: ['note', 'comment'],
  contact: ['contact', 'phone'],
  telegram: ['telegram_id', 'telegram'],
  tags: ['tags'],
  limitGb: ['limit_gb'],
  limit: ['traffic_limit'],
  used: ['used'],
  expiresAt: ['expires_at', 'expire', 'expires'],
} as const;
type Column = keyof typeof COLUMNS;
type Cells = Partial<Readonly<Record<Column, string>>>;

/** Whether a text is such a list. */
export function isList(text: string): boolean {
  const [first = ''] = splitLines(text);
  return SHARE_LINK.test(first) || readHead(first) !== null;
}

export function readList(text: string, now: number): SourceDocument {
  const lines = splitLines(text);
  const head = readHead(lines[0] ?? '');
  const users = new Map<string, DocumentUser>();
  const leftOut: LeftOut[] = [];
  const rows = head === null ? lines : lines.slice(1);
  for (const [index, line] of rows.entries()) {
    const cells: Cells = head === null ? { link: line } : readCells(head, line);
    const user = readUser(cells, now);
    const number = index + (head === null ? 1 : 2);
    if (user === null) {
      const id = `line ${number}`;
      const reason = cells.uuid ? 'its id is no UUID' : 'no UUID, password or share link';
      leftOut.push({ kind: 'user', id, name: cells.name || id, reason });
    } else if (!users.has(user.id)) users.set(user.id, user);
  }
  return {
    source: 'list',
    instance: 'list',
    links: null,
    inbounds: [],
    leftOut,
    hosts: [],
    users: [...users.values()],
  };
}

function splitLines(text: string): readonly string[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  // Spreadsheets name the separator in a line of its own.
  return lines.map((line) => line.trim()).filter((line) => line !== '' && !/^sep=.$/i.test(line));
}

interface Head {
  readonly separator: string;
  readonly columns: readonly (Column | null)[];
}

/** The columns of the first line; null: it names none by which a user is known. */
function readHead(line: string): Head | null {
  const separator = [';', '\t', ','].find((each) => line.includes(each)) ?? ',';
  const columns = splitCells(line, separator).map((cell) => findColumn(cell.trim().toLowerCase()));
  const isKnown = columns.some((column) => column === 'uuid' || column === 'password' || column === 'link');
  return isKnown ? { separator, columns } : null;
}

function findColumn(name: string): Column | null {
  const entries = Object.entries(COLUMNS) as [Column, readonly string[]][];
  return entries.find(([, names]) => names.includes(name))?.[0] ?? null;
}

/** Cells may be in quotes, in which a quote is doubled. */
function splitCells(line: string, separator: string): readonly string[] {
  const cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at] ?? '';
    if (character === '"' && isQuoted && line[at + 1] === '"') {
      cell += '"';
      at += 1;
    } else if (character === '"') isQuoted = !isQuoted;
    else if (character === separator && !isQuoted) {
      cells.push(cell);
      cell = '';
    } else cell += character;
  }
  return [...cells, cell];
}

function readCells({ separator, columns }: Head, line: string): Cells {
  const cells = splitCells(line, separator);
  return Object.fromEntries(
    columns.flatMap((column, index) => (column === null ? [] : [[column, (cells[index] ?? '').trim()]])),
  );
}

function readUser(cells: Cells, now: number): DocumentUser | null {
  const linked = cells.link ? readLink(cells.link) : null;
  // Any other text may be a number of the list, of which anyone can compute the UUID that an engine makes.
  const uuid = toUuid(cells.uuid ?? '');
  const families: NonNullable<SourceUser['families']> = {
    ...fitFamilies({ ...(uuid !== null && { uuid }), ...(cells.password && { password: cells.password }) }),
    ...linked?.families,
  };
  const [credential] = Object.values(families);
  if (credential === undefined) return null;
  const id = hashId(credential);
  const { losses, lose } = createLosses();
  if (cells.uuid && uuid === null) lose('credential_invalid');
  const limit = cells.limitGb ? Math.round(Number(cells.limitGb.replace(',', '.')) * GIB) : toBytes(cells.limit);
  const used = toBytes(cells.used);
  const end = cells.expiresAt ?? '';
  return buildUser(
    {
      id,
      name: cells.name || linked?.name || id.slice(0, 8),
      contact: cells.contact ?? '',
      note: cells.note ?? '',
      tags: (cells.tags ?? '').split(/[,;]/).map((tag) => tag.trim()),
      telegram: cells.telegram ?? '',
      metadata: {},
      enabled: true,
      expiresAt: parseUtc(end) ?? parseInstant(end),
      holdSeconds: null,
      limitBytes: Number.isFinite(limit) && limit > 0 ? limit : null,
      usedUp: 0,
      usedDown: used,
      totalUp: 0,
      totalDown: used,
      reset: 'none',
      deviceLimit: null,
      concurrentLimit: null,
      credentials: null,
      families,
      links: [],
      onlineAt: null,
      createdAt: null,
    },
    losses,
    now,
  );
}

function readLink(link: string): { readonly name: string; readonly families: SourceUser['families'] } | null {
  const pasted = readPasted(link);
  if (pasted.kind !== 'share_link' || pasted.credential === null || pasted.credential.isBeginning) return null;
  const { family, value } = pasted.credential;
  const families = family === 'key' ? { key: value } : fitFamilies({ [family]: value });
  return { name: cleanText(readName(link), 100), families };
}

/** After the `#`; of VMess in its JSON. */
function readName(link: string): string {
  const [, hash = ''] = link.split('#');
  try {
    const name = decodeURIComponent(hash);
    if (name !== '' || !/^vmess:/i.test(link)) return name;
    const json: unknown = parseForeignJson(Buffer.from(link.slice('vmess://'.length), 'base64'), BOUNDS);
    return typeof json === 'object' && json !== null && 'ps' in json ? toText(json.ps) : '';
  } catch {
    return '';
  }
}
