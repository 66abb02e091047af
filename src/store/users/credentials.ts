// Users' credentials: a table of its own, so that reading and listing users does not read it.
import type { Credentials } from '../../core/ports/credentials.ts';
import type { UserStore } from '../../core/ports/users.ts';
import type { Connection } from '../database.ts';

const FAMILIES = ['uuid', 'password', 'key', 'wireguard'] as const satisfies readonly (keyof Credentials)[];
/** Number of credentials of a user. */
export const CREDENTIALS = FAMILIES.length;
/** One column for each credential of a row of `users`. */
export const CREDENTIAL_COLUMNS = FAMILIES.map(
  (family) => `(SELECT value FROM user_credentials WHERE user_id = users.id AND family = '${family}')`,
).join(', ');

const VALUES = FAMILIES.map((family) => `(:id, '${family}', :${family})`).join(', ');

/** Decodes credentials in the order of `CREDENTIAL_COLUMNS`. */
export function decodeCredentials([uuid, password, key, wireguard]: readonly unknown[]): Credentials {
  if (
    typeof uuid === 'string' &&
    typeof password === 'string' &&
    typeof key === 'string' &&
    typeof wireguard === 'string'
  )
    return { uuid, password, key, wireguard };
  throw new Error('a user lacks credentials');
}

export interface CredentialWrites {
  insert(id: number, credentials: Credentials): void;
}

export function createCredentialWrites(db: Connection): CredentialWrites {
  const insert = db.prepare<[Credentials & { readonly id: number }]>(
    `INSERT INTO user_credentials (user_id, family, value) VALUES ${VALUES}`,
  );
  return {
    insert: (id, { uuid, password, key, wireguard }) => {
      insert.run({ id, uuid, password, key, wireguard });
    },
  };
}

export function createCredentialStore(
  db: Connection,
): Pick<UserStore, 'credentials' | 'findOwnerId' | 'saveCredentials' | 'isTaken'> {
  const read = db.prepare<[number], { readonly family: string; readonly value: string }>(
    'SELECT family, value FROM user_credentials WHERE user_id = ?',
  );
  const holder = db
    .prepare<[{ readonly family: string; readonly value: string; readonly end: string }], number>(
      'SELECT user_id FROM user_credentials WHERE family = :family AND value BETWEEN :value AND :end LIMIT 1',
    )
    .pluck();
  const save = db.prepare<[Credentials & { readonly id: number }]>(
    `INSERT INTO user_credentials (user_id, family, value) VALUES ${VALUES}
     ON CONFLICT (user_id, family) DO UPDATE SET value = excluded.value`,
  );
  const taken = db
    .prepare<[Credentials & { readonly token: string }], number>(
      `SELECT EXISTS (SELECT 1 FROM users WHERE token = :token)
         OR EXISTS (SELECT 1 FROM user_credentials WHERE (family, value) IN
           (VALUES ${FAMILIES.map((family) => `('${family}', :${family})`).join(', ')}))`,
    )
    .pluck();
  return {
    credentials: (id) => {
      const values = new Map(read.all(id).map(({ family, value }) => [family, value]));
      return decodeCredentials(FAMILIES.map((family) => values.get(family)));
    },
    // `~` sorts after every character of base64, so this ends the range of a prefix.
    findOwnerId: (family, value, isBeginning) => holder.get({ family, value, end: isBeginning ? `${value}~` : value }),
    saveCredentials: (id, { uuid, password, key, wireguard }) => {
      save.run({ id, uuid, password, key, wireguard });
    },
    isTaken: (token, { uuid, password, key, wireguard }) => taken.get({ token, uuid, password, key, wireguard }) === 1,
  };
}
