// Reads connected users and addresses from the engine of a node, outside of its rounds. Addresses are not stored: only a keyed hash and a network
// prefix are.
import { clientNetwork } from '../../domain/client-network.ts';
import { DAY_MS } from '../../domain/limits.ts';
import type { Env } from '../kernel/context.ts';
import type { SeenAddress } from '../ports/connected.ts';
import { type ConnectedAddress, type Engine, EngineError } from '../ports/engines.ts';
import type { Concurrency, OpenedAddress } from './concurrency.ts';

/** Polls between two readings. */
const EVERY_POLLS = 3;
/** Addresses processed per user, and addresses written per transaction. */
const MAX_OF_USER = 200;
const PART = 250;
const KEY_BYTES = 32;

/** Only one reading at a time, none after the end. */
interface ReaderState {
  readonly name: 'waiting' | 'reading' | 'closed';
  readonly pollsToNext: number;
}

export interface AddressReader {
  /** The node's engine was polled. */
  countPoll(): void;
  /** Later results are discarded. */
  close(): void;
}

/** The key of the hashes, in memory only: after a restart, stored hashes cannot be matched to addresses. */
export function createAddressKey({ crypto }: Pick<Env, 'crypto'>): Uint8Array {
  return crypto.randomBytes(KEY_BYTES);
}

export function createAddressReader(
  env: Pick<Env, 'announce' | 'clock' | 'crypto' | 'log' | 'queue' | 'store' | 'tasks'>,
  nodeId: number,
  engine: Engine,
  key: Uint8Array,
  concurrency: Concurrency,
): AddressReader {
  const { store, queue, clock, log, crypto, tasks } = env;
  let reader: ReaderState = { name: 'waiting', pollsToNext: 0 };
  const isClosed = () => reader.name === 'closed';

  /** One entry for each location of the user. */
  function listSeenAddresses(
    userId: number,
    addresses: readonly ConnectedAddress[],
  ): readonly (SeenAddress & OpenedAddress)[] {
    const places = new Map<string, { readonly network: string; readonly openedAt: number }>();
    for (const { address, openedAt } of addresses) {
      const network = clientNetwork(address);
      const known = network && places.get(network.place);
      if (!network || (!known && places.size >= MAX_OF_USER)) continue;
      places.set(network.place, { network: network.shortForm, openedAt: Math.max(openedAt, known?.openedAt ?? 0) });
    }
    return [...places].map(([place, { network, openedAt }]) => ({
      userId,
      hash: crypto.hmacSha256(key, `${userId} ${place}`),
      network,
      openedAt,
    }));
  }

  async function readAddresses(): Promise<void> {
    const { boot } = store.sync.get(nodeId);
    const connected = await tasks.untilStop(engine.connected());
    const at = clock.now();
    // After a restore, a deletion or another start, its users may be different ones.
    const write = (work: () => void) =>
      queue.run(() => store.write(() => store.sync.get(nodeId).boot === boot && work()));
    const users = [...(connected ?? [])];
    const all: OpenedAddress[] = [];
    for (let next = 0; next < users.length && !isClosed(); next += PART) {
      const part = users
        .slice(next, next + PART)
        .flatMap(([userId, addresses]) => listSeenAddresses(userId, addresses));
      for (const { userId, hash, openedAt } of part) all.push({ userId, hash, openedAt });
      await write(() => store.connected.recordSeen(nodeId, part, at));
    }
    if (isClosed() || boot === null) return;
    await write(() => {
      if (connected === null) concurrency.forget(nodeId);
      else concurrency.recordAddresses(nodeId, all, at);
      store.connected.finish(nodeId, connected && at);
      store.connected.prune(at - DAY_MS);
    });
    env.announce();
  }

  return {
    countPoll() {
      const pollsToNext = reader.pollsToNext - 1;
      reader = { ...reader, pollsToNext };
      if (pollsToNext > 0 || reader.name !== 'waiting' || store.diskSpace.isFull()) return;
      reader = { name: 'reading', pollsToNext: EVERY_POLLS };
      tasks
        .run(readAddresses)
        // Failures of the engine are reported by its rounds.
        .catch((error: unknown) => {
          if (!(error instanceof EngineError) && !isClosed())
            log.warn('addresses not stored', { node: nodeId, error: String(error) });
        })
        .finally(() => {
          if (!isClosed()) reader = { ...reader, name: 'waiting' };
        });
    },
    close() {
      reader = { ...reader, name: 'closed' };
    },
  };
}
