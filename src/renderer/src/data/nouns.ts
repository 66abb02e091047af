// Which reads a change makes old: what happened to a noun asks for everything that tells of it to be read anew.
import type { QueryClient } from '@tanstack/react-query';
import { isReading } from '../../../contract/operation.ts';
import { OPERATIONS, type OperationId } from '../../../contract/table.ts';

/** The first part of an event's type, and `panel` for what only the panel has: sessions, keys, certificates, backups. */
export type Noun = 'user' | 'tariff' | 'inbound' | 'node' | 'settings' | 'panel';

const PANELS: ReadonlySet<string> = new Set(['backup', 'certificate', 'vault', 'key', 'session', 'address', 'update']);
const OWN: ReadonlySet<string> = new Set<Noun>(['user', 'tariff', 'inbound', 'node', 'settings']);

/** What an event tells of; undefined for one that only a newer panel knows, which may be about anything. */
export function nounOfEvent(type: string): Noun | undefined {
  const name = type.slice(0, type.indexOf('.'));
  if (OWN.has(name)) return name as Noun;
  return PANELS.has(name) ? 'panel' : undefined;
}

const BY_TAG: Readonly<Record<string, Noun>> = {
  Users: 'user',
  Grants: 'user',
  Tariffs: 'tariff',
  Inbounds: 'inbound',
  Nodes: 'node',
  Panel: 'panel',
};

/** Reads that tell of more than their own noun. */
const ALSO: Partial<Record<Noun, readonly OperationId[]>> = {
  // A plan says how many users have it.
  user: ['getOverview', 'listAudit', 'listTariffs', 'getTariff'],
  tariff: ['listAudit'],
  inbound: ['listAudit'],
  // A connection is up where its node is.
  node: ['getOverview', 'listAudit', 'listInbounds', 'getInbound'],
  settings: ['listAudit', 'getOverview', 'getTraffic'],
  panel: ['listAudit'],
};

/** The noun an operation acts on; null for what is only read. */
export function nounOf(id: OperationId): Noun | null {
  return BY_TAG[OPERATIONS[id].tag] ?? null;
}

/** Every read that tells of a noun. */
export function readsOf(noun: Noun): ReadonlySet<OperationId> {
  const all = Object.values(OPERATIONS).filter((operation) => isReading(operation));
  const own = all.filter(({ id }) => nounOf(id) === (noun === 'settings' ? 'panel' : noun)).map(({ id }) => id);
  return new Set([...own, ...(ALSO[noun] ?? [])]);
}

/** A burst of events, as from a bulk act, asks once: at once and then at most every so many ms. */
const PAUSE_MS = 1000;

/** Makes `touch(noun)`: marks its reads old and asks for those on screen. Without a noun: everything. */
export function createTouch(client: QueryClient): (noun?: Noun) => void {
  const waiting = new Set<Noun | 'all'>();
  let timer: ReturnType<typeof setTimeout> | null = null;

  function flush(): void {
    timer = null;
    if (waiting.size === 0) return;
    const isAll = waiting.has('all');
    const reads = new Set([...waiting].flatMap((noun) => (noun === 'all' ? [] : [...readsOf(noun)])));
    waiting.clear();
    void client.invalidateQueries(isAll ? {} : { predicate: ({ queryKey }) => reads.has(queryKey[0] as OperationId) }, {
      cancelRefetch: false,
    });
    timer = setTimeout(flush, PAUSE_MS);
  }

  return (noun) => {
    waiting.add(noun ?? 'all');
    if (timer === null) timer = setTimeout(flush, 0);
  };
}
