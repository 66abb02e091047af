// Users' credentials: tables of their own, so that reading and listing users does not read them.
import type { Credentials, InboundCredential } from '../../core/ports/credentials.ts';
import type { UserStore } from '../../core/ports/users.ts';
import { parseOwnJson } from '../../domain/own-json.ts';
import type { Connection } from '../database.ts';

type Families = Omit<Credentials, 'byInbound'>;

const FAMILIES = ['uuid', 'password', 'key', 'wireguard'] as const satisfies readonly (keyof Families)[];
/** Of a user with the id `user`, as JSON: the credentials on single inbounds. */
const selectByInbound = (user: string) =>
  `(SELECT json_group_array(json_array(inbound_id, value, flow)) FROM user_inbound_credentials WHERE user_id = ${user})`;
/** How many columns a user's credentials have. */
export const CREDENTIALS = FAMILIES.length + 1;
/** Each family in a column, of a user of the table with this alias, and those on single inbounds in another one. */
export const credentialColumns = (users: string): string =>
  [
    ...FAMILIES.map(
      (family) => `(SELECT value FROM user_credentials WHERE user_id = ${users}.id AND family = '${family}')`,
    ),
    selectByInbound(`${users}.id`),
  ].join(', ');

const VALUES = FAMILIES.map((family) => `(:id, '${family}', :${family})`).join(', ');

/** The credentials in the order of `credentialColumns`. */
export function decodeCredentials([uuid, password, key, wireguard, byInbound]: readonly unknown[]): Credentials {
  if (
    typeof uuid === 'string' &&
    typeof password === 'string' &&
    typeof key === 'string' &&
    typeof wireguard === 'string'
  ) {
    const families = { uuid, password, key, wireguard };
    return typeof byInbound === 'string' && byInbound !== '[]'
      ? { ...families, byInbound: decodeByInbound(byInbound) }
      : families;
  }
  throw new Error('a user lacks credentials');
}

function decodeByInbound(text: string): readonly InboundCredential[] {
  const rows = parseOwnJson(text) as readonly [number, string, string | null][];
  return rows.map(([inboundId, value, flow]) => ({ inboundId, value, flow }));
}

export interface CredentialWrites {
  insert(id: number, credentials: Credentials): void;
}

export function createCredentialWrites(db: Connection): CredentialWrites {
  const insert = db.prepare<[Families & { readonly id: number }]>(
    `INSERT INTO user_credentials (user_id, family, value) VALUES ${VALUES}`,
  );
  const insertOwn = prepareOwn(db);
  return {
    insert: (id, { uuid, password, key, wireguard, byInbound = [] }) => {
      insert.run({ id, uuid, password, key, wireguard });
      for (const own of byInbound) insertOwn.run({ ...own, id });
    },
  };
}

function prepareOwn(db: Connection) {
  return db.prepare<[InboundCredential & { readonly id: number }]>(
    'INSERT INTO user_inbound_credentials (user_id, inbound_id, value, flow) VALUES (:id, :inboundId, :value, :flow)',
  );
}

export function createCredentialStore(
  db: Connection,
): Pick<UserStore, 'credentials' | 'findOwnerId' | 'saveCredentials' | 'copyInboundCredentials' | 'isTaken'> {
  const read = db
    .prepare<[{ readonly id: number }], unknown[]>(
      `SELECT ${credentialColumns('given')} FROM (SELECT :id AS id) AS given`,
    )
    .raw();
  const holder = db
    .prepare<[{ readonly family: string; readonly value: string; readonly end: string }], number>(
      `SELECT user_id FROM user_credentials WHERE family = :family AND value BETWEEN :value AND :end
       UNION ALL SELECT user_id FROM user_inbound_credentials WHERE value BETWEEN :value AND :end LIMIT 1`,
    )
    .pluck();
  const save = db.prepare<[Families & { readonly id: number }]>(
    `INSERT INTO user_credentials (user_id, family, value) VALUES ${VALUES}
     ON CONFLICT (user_id, family) DO UPDATE SET value = excluded.value`,
  );
  const dropOwn = db.prepare<[number]>('DELETE FROM user_inbound_credentials WHERE user_id = ?');
  const insertOwn = prepareOwn(db);
  const copyOwn = db.prepare<[{ readonly from: number; readonly to: number }]>(
    `INSERT INTO user_inbound_credentials (user_id, inbound_id, value, flow)
     SELECT user_id, :to, value, flow FROM user_inbound_credentials WHERE inbound_id = :from`,
  );
  const taken = db
    .prepare<[Families & { readonly token: string }], number>(
      `SELECT EXISTS (SELECT 1 FROM users WHERE token = :token)
         OR EXISTS (SELECT 1 FROM user_credentials WHERE (family, value) IN
           (VALUES ${FAMILIES.map((family) => `('${family}', :${family})`).join(', ')}))
         OR EXISTS (SELECT 1 FROM user_inbound_credentials WHERE value IN (${FAMILIES.map((family) => `:${family}`).join(', ')}))`,
    )
    .pluck();
  return {
    credentials: (id) => decodeCredentials(read.get({ id }) ?? []),
    // `~` sorts after every character of base64, so this ends the range of a prefix.
    findOwnerId: (family, value, isBeginning) => holder.get({ family, value, end: isBeginning ? `${value}~` : value }),
    saveCredentials: (id, { uuid, password, key, wireguard, byInbound = [] }) => {
      save.run({ id, uuid, password, key, wireguard });
      dropOwn.run(id);
      for (const own of byInbound) insertOwn.run({ ...own, id });
    },
    copyInboundCredentials: (from, to) => {
      copyOwn.run({ from, to });
    },
    isTaken: (token, { uuid, password, key, wireguard }) => taken.get({ token, uuid, password, key, wireguard }) === 1,
  };
}
