// Pages of the ledger on the wire: starts of the engine are listed once, and rows refer to them by index.
import { EngineError, type LedgerPage, type LedgerTaken } from '../../core/ports/engines.ts';
import type { Reply, Request } from './wire.ts';

type WirePage = Reply<'readLedger'>;

export function takenToWire({
  ledger,
  run,
  taken,
  acknowledged,
}: LedgerTaken): NonNullable<Request<'readLedger'>['taken']> {
  return { ledger, run, taken, acknowledged };
}

export function ledgerPageToWire(page: LedgerPage): WirePage {
  const { entries, ends, events, failure, ...rest } = page;
  const boots = [...new Set([...entries, ...ends, ...events].flatMap(({ boot }) => (boot === null ? [] : [boot])))];
  const indexByBoot = new Map(boots.map((boot, place) => [boot, place]));
  const place = (boot: string) => indexByBoot.get(boot) ?? 0;
  return {
    ...rest,
    boots,
    entries: entries.map(({ seq, boot, userId, tag, up, down }) => [seq, place(boot), userId ?? tag ?? '', up, down]),
    ends: ends.map(({ seq, boot }) => [seq, place(boot)]),
    events: events.map(({ seq, kind, at, userId, boot, up, down }) => [
      seq,
      kind,
      at,
      userId,
      boot === null ? null : place(boot),
      up,
      down,
    ]),
    failure: failure && { code: failure.code, message: failure.message },
  };
}

/** Throws EngineError if a row refers to no start of the page. */
export function ledgerPageFromWire(page: WirePage): LedgerPage {
  const { boots, entries, ends, events, failure: failed, ...rest } = page;
  const bootAt = (place: number) => {
    const boot = boots[place];
    if (boot === undefined) throw new EngineError('engine_unreachable', 'the node names a start that it left out');
    return boot;
  };
  return {
    ...rest,
    entries: entries.map(([seq, place, of, up, down]) => ({
      seq,
      boot: bootAt(place),
      userId: typeof of === 'number' ? of : null,
      tag: typeof of === 'number' ? null : of,
      up,
      down,
    })),
    ends: ends.map(([seq, place]) => ({ seq, boot: bootAt(place) })),
    events: events.map(([seq, kind, at, userId, place, up, down]) => ({
      seq,
      kind,
      at,
      userId,
      boot: place === null ? null : bootAt(place),
      up,
      down,
    })),
    failure: failed && new EngineError(failed.code, failed.message.slice(0, 1000)),
  };
}
