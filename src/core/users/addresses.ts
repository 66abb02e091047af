// From where a user was connected.
import { MAX_ADDRESSES } from '../../contract/users/user-acts.ts';
import type { Context, Handlers } from '../kernel/context.ts';
import { toInstant } from '../kernel/wire.ts';
import { requireUser } from './users.ts';

export const USER_ADDRESS_HANDLERS = {
  getUserAddresses: {
    read(input, context: Context) {
      const { store, now } = context;
      const { id } = requireUser(context, input.id);
      const addresses = store.connected.ofUser(id, MAX_ADDRESSES, now).map((row) => ({
        network: row.network,
        node_id: row.nodeId,
        connected: row.isConnected,
        first_seen_at: toInstant(row.firstAt),
        last_seen_at: toInstant(row.lastAt),
      }));
      return { body: { concurrent: store.connected.countOfUser(id, now), addresses } };
    },
  },
} satisfies Handlers<'getUserAddresses'>;
