// The rows beside a user that answer "who has this tag" and "does anybody name this connection" without reading users.
import type { NewUser } from '../../core/ports/users.ts';
import type { Connection } from '../database.ts';

type Links = Pick<NewUser, 'tags' | 'inbounds'>;

export interface UserLinks {
  insert(id: number, links: Links): void;
  /** Writes what differs. */
  save(id: number, before: Links, after: Links): void;
}

const NOTHING: readonly number[] = [];

/** Rows go with their user by themselves. */
export function createUserLinks(db: Connection): UserLinks {
  const addTag = db.prepare<[string, number]>('INSERT INTO user_tags (tag, user_id) VALUES (?, ?)');
  const dropTag = db.prepare<[string, number]>('DELETE FROM user_tags WHERE tag = ? AND user_id = ?');
  const addInbound = db.prepare<[number, number]>('INSERT INTO user_inbounds (inbound_id, user_id) VALUES (?, ?)');
  const dropInbound = db.prepare<[number, number]>('DELETE FROM user_inbounds WHERE inbound_id = ? AND user_id = ?');
  return {
    insert: (id, { tags, inbounds }) => {
      for (const tag of tags) addTag.run(tag, id);
      for (const inbound of inbounds ?? NOTHING) addInbound.run(inbound, id);
    },
    save: (id, before, after) => {
      if (before.tags !== after.tags) {
        for (const tag of before.tags) if (!after.tags.includes(tag)) dropTag.run(tag, id);
        for (const tag of after.tags) if (!before.tags.includes(tag)) addTag.run(tag, id);
      }
      if (before.inbounds !== after.inbounds) {
        const [was, is] = [before.inbounds ?? NOTHING, after.inbounds ?? NOTHING];
        for (const inbound of was) if (!is.includes(inbound)) dropInbound.run(inbound, id);
        for (const inbound of is) if (!was.includes(inbound)) addInbound.run(inbound, id);
      }
    },
  };
}
