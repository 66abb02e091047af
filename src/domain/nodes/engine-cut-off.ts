// Which users another engine of a node would cut off: users whose application can connect through one of the node's connections now, and through none
// after the change.
import { type ClientCore, type MeasuredShape, type Outcome, predictOutcome } from './compatibility.ts';
import type { EngineVersion } from './engine-facts.ts';

/** Users with the same connections and client core. */
export interface UserGroup {
  /** Connections by id; null: all. */
  readonly inbounds: readonly number[] | null;
  /** The core of their applications; null: unknown. */
  readonly core: ClientCore | null;
  readonly users: number;
}

export interface CutOffReason {
  readonly core: ClientCore;
  /** The fingerprint to avoid so that these users stay connected; null: no other fingerprint helps. */
  readonly fingerprint: string | null;
  readonly users: number;
}

export interface EngineCutOff {
  /** Users with a connection of the node. */
  readonly total: number;
  readonly users: number;
  /** Of the total, users whose application is unknown. */
  readonly unknown: number;
  /** Most users first. */
  readonly reasons: readonly CutOffReason[];
}

type Connection = MeasuredShape & { readonly id: number };

/** A connection of another node that is up. */
export type OtherConnection = Connection & { readonly engine: EngineVersion };

const isOff = (outcome: Outcome | null) => outcome === 'fails' || outcome === 'unserved' || outcome === 'left_out';

/** `connections`: the enabled ones of the node. Users who keep one of `others`, also if its node gets the same engine, are not cut off. */
export function countCutOff(
  groups: readonly UserGroup[],
  connections: readonly Connection[],
  from: EngineVersion,
  to: EngineVersion,
  others: readonly OtherConnection[] = [],
): EngineCutOff {
  const reasons = new Map<string, CutOffReason>();
  let [total, users, unknown] = [0, 0, 0];
  for (const group of groups) {
    const own = connections.filter(({ id }) => group.inbounds?.includes(id) ?? true);
    if (own.length === 0) continue;
    total += group.users;
    const { core } = group;
    if (core === null) {
      unknown += group.users;
      continue;
    }
    const works = (engine: EngineVersion) => own.filter((shape) => !isOff(predictOutcome(engine, core, shape)));
    const [lost] = works(from);
    if (lost === undefined || works(to).length > 0) continue;
    // The other nodes may get the same update.
    const isKept = (one: OtherConnection) =>
      (group.inbounds?.includes(one.id) ?? true) &&
      [one.engine, to].every((engine) => !isOff(predictOutcome(engine, core, one)));
    if (others.some(isKept)) continue;
    users += group.users;
    const isOfFingerprint = !isOff(predictOutcome(to, core, { ...lost, fingerprint: null }));
    const fingerprint = isOfFingerprint ? lost.fingerprint : null;
    const key = `${core} ${fingerprint}`;
    reasons.set(key, { core, fingerprint, users: group.users + (reasons.get(key)?.users ?? 0) });
  }
  return { total, users, unknown, reasons: [...reasons.values()].toSorted((a, b) => b.users - a.users) };
}
