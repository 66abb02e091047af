// A store that stays the same object while the file behind it is exchanged: whoever holds it goes on with the restored data.
import type { Store } from '../core/ports/ports.ts';
import { decideFor, finishSwap, undecide } from './backup/swap.ts';
import { connectionOf, type OpenOptions, openStore, standFor } from './index.ts';

export interface ReopenableStore {
  readonly store: Store;
  /**
   * Puts `ready`, a complete database, in the place of the present one, all in one turn of the event loop: nobody ever sees a
   * closed store. No other connection may be open. Where it fails before the decision, the present one goes on and it throws.
   */
  exchange(ready: string): void;
}

type Part = Exclude<keyof Store, 'read' | 'write' | 'sizeBytes' | 'close'>;

/** Opens the database file as `openStore` does, after finishing a restore that was decided but not finished. */
export function openReopenable(file: string, options: Pick<OpenOptions, 'reserve'> = {}): ReopenableStore {
  finishSwap(file);
  let inner = openStore(file, options);

  /** Looks at the present store on every use: nothing of a closed one is ever kept. */
  function part<Name extends Part>(name: Name): Store[Name] {
    return new Proxy({} as Store[Name], { get: (_target, member) => Reflect.get(inner[name], member) });
  }

  const store: Store = {
    read: (work) => inner.read(work),
    write: (work, importance) => inner.write(work, importance),
    users: part('users'),
    grants: part('grants'),
    tariffs: part('tariffs'),
    inbounds: part('inbounds'),
    nodes: part('nodes'),
    traffic: part('traffic'),
    events: part('events'),
    audit: part('audit'),
    keys: part('keys'),
    sessions: part('sessions'),
    administrator: part('administrator'),
    settings: part('settings'),
    idempotency: part('idempotency'),
    sealed: part('sealed'),
    twoFactor: part('twoFactor'),
    diskSpace: part('diskSpace'),
    sizeBytes: () => inner.sizeBytes(),
    close: () => inner.close(),
  };
  standFor(store, () => inner);

  return {
    store,
    exchange(ready) {
      emptyJournal(inner);
      try {
        decideFor(ready, file);
        inner.close();
        finishSwap(file);
      } catch (error) {
        undecide(file);
        inner.close();
        inner = openStore(file, options);
        throw error;
      }
      inner = openStore(file, options);
    },
  };
}

/** Writes the journal into the database, so that the file alone is all of it. Throws where another connection prevents that. */
function emptyJournal(store: Store): void {
  const [found] = connectionOf(store).pragma('wal_checkpoint(TRUNCATE)') as readonly { readonly busy: number }[];
  if (found?.busy !== 0) throw new Error('another connection is using the database');
}
