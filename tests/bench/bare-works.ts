// What the bare server does, written straight down: a statement, its cells as JSON, one reply.
import { randomBytes, randomUUID, scrypt } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import pLimit from 'p-limit';
import type { Connection } from '../../src/store/database.ts';
import { USER_COLUMNS, type UserCells } from '../../src/store/users/row.ts';
import { bareUser } from './bare-user.ts';
import type { BareWork } from './servers.ts';

const PAGE = 50;

type MakeWork = (db: Connection, links: string, bytes: string) => RequestListener;

function reply(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}

/** GET /7 */
const user: MakeWork = (db, links) => {
  const byId = db.prepare<[number], UserCells>(`SELECT ${USER_COLUMNS} FROM users WHERE id = ?`).raw();
  return (request, response) => {
    const cells = byId.get(Number(request.url?.slice(1)));
    if (cells === undefined) response.writeHead(404).end();
    else reply(response, JSON.stringify(bareUser(cells, links, Date.now())));
  };
};

/** GET / */
const list: MakeWork = (db, links) => {
  const page = db.prepare<[number], UserCells>(`SELECT ${USER_COLUMNS} FROM users ORDER BY id DESC LIMIT ?`).raw();
  const total = db.prepare<[], number>('SELECT sum(count) FROM user_counts').pluck();
  return (_request, response) => {
    const now = Date.now();
    const rows = page.all(PAGE + 1);
    const last = rows[PAGE - 1];
    const items = rows.slice(0, PAGE).map((cells) => bareUser(cells, links, now));
    const cursor = rows.length > PAGE && last ? JSON.stringify(['-id', last[0], last[0]]) : null;
    const next_cursor = cursor === null ? null : Buffer.from(cursor).toString('base64url');
    reply(response, JSON.stringify({ items, total: total.get(), limit: PAGE, offset: 0, next_cursor }));
  };
};

/** GET /word: a scan of what the panel's search looks into. */
const like: MakeWork = (db, links) => {
  const scan = db
    .prepare<[{ like: string; limit: number }], UserCells>(
      `SELECT ${USER_COLUMNS} FROM users
       WHERE name LIKE :like OR contact LIKE :like OR note LIKE :like OR tags LIKE :like ORDER BY id LIMIT :limit`,
    )
    .raw();
  return (request, response) => {
    const now = Date.now();
    const found = scan.all({ like: `%${decodeURIComponent(request.url?.slice(1) ?? '')}%`, limit: PAGE });
    reply(response, JSON.stringify({ items: found.map((cells) => bareUser(cells, links, now)) }));
  };
};

function withBody(work: (body: string, response: ServerResponse) => void): RequestListener {
  return (request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => work(Buffer.concat(chunks).toString(), response));
  };
}

const WRITTEN = USER_COLUMNS.replaceAll(/\s+/g, '').split(',').slice(1);
const COPIED = new Set(['name', 'token']);
/** Unique where they are given. */
const LEFT_OUT = new Set(['external_id', 'telegram_id']);

/** POST / with a name: another user like one whose term runs, and a commit. */
const insert: MakeWork = (db, links) => {
  const alike = db
    .prepare("SELECT min(id) FROM users WHERE state = 'active' AND state_due_at < due_at + 1e12")
    .pluck()
    .get();
  const selectColumn = (column: string) => (LEFT_OUT.has(column) ? 'NULL' : column);
  const values = WRITTEN.map((column) => (COPIED.has(column) ? `:${column}` : selectColumn(column)));
  const add = db
    .prepare<[Record<string, string>], UserCells>(
      `INSERT INTO users (${WRITTEN.join(', ')}, name_sort, used, state_due_at)
       SELECT ${values.join(', ')}, lower(:name), used, state_due_at FROM users WHERE id = ${alike} RETURNING ${USER_COLUMNS}`,
    )
    .raw();
  const addCredentials = db.prepare<[number, string, number, string, number, string]>(
    "INSERT INTO user_credentials (user_id, family, value) VALUES (?, 'uuid', ?), (?, 'password', ?), (?, 'key', ?)",
  );
  return withBody((body, response) => {
    const { name } = JSON.parse(body) as { name: string };
    const token = randomBytes(16).toString('base64url');
    const cells = db.transaction(() => {
      const made = add.get({ name, token });
      if (made === undefined) return undefined;
      const password = randomBytes(24).toString('base64url');
      addCredentials.run(made[0], randomUUID(), made[0], password, made[0], randomBytes(32).toString('base64'));
      return made;
    })();
    if (cells === undefined) response.writeHead(500).end();
    else reply(response, JSON.stringify(bareUser(cells, links, Date.now())));
  });
};

const DAY_MS = 86_400_000;

/** POST / with ids: one statement that leaves the rows as a bulk extend leaves them. */
const extend: MakeWork = (db) => {
  const update = db.prepare<[{ ids: string; now: number }]>(
    `UPDATE users SET expires_at = expires_at + ${DAY_MS}, state_due_at = state_due_at + ${DAY_MS},
       due_at = CASE due_at WHEN resets_at THEN due_at ELSE due_at + ${DAY_MS} END,
       updated_at = :now, version = version + 1
     WHERE id IN (SELECT value FROM json_each(:ids))`,
  );
  return withBody((body, response) => {
    const { ids } = JSON.parse(body) as { ids: number[] };
    const { changes } = update.run({ ids: JSON.stringify(ids), now: Date.now() });
    reply(response, JSON.stringify({ affected: changes }));
  });
};

/** Of OWASP's Password Storage Cheat Sheet, as the panel's. */
const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 };

/** GET /7 as `user`. A sign-in is refused after its password was hashed, one at a time; everything else is refused unread. */
const attacked: MakeWork = (db, links, body) => {
  const get = user(db, links, body);
  const limit = pLimit(1);
  const hashed = () => new Promise<void>((resolve) => scrypt('password', 'salt', 32, COST, () => resolve()));
  return async (request, response) => {
    if (request.method === 'GET') return get(request, response);
    const isSignIn = request.url?.endsWith('/signIn') && Number(request.headers['content-length']) < 100;
    if (!isSignIn) return void response.writeHead(404, { Connection: 'close' }).end();
    request.resume();
    // For who has gone nothing is hashed, so that an attack ends with the attacker.
    await limit(() => (response.destroyed ? undefined : hashed()));
    response.writeHead(401).end();
  };
};

/** GET /: the same bytes each time. */
const bytes: MakeWork = (_db, _links, body) => (_request, response) => reply(response, body);

export const bareWorks: Readonly<Record<BareWork, MakeWork>> = { user, list, like, insert, extend, attacked, bytes };
