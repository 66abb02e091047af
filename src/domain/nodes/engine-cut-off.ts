// Whom another engine of a node cuts off: users whose application gets bytes through one of the node's connections now, and through none after.
import { type ClientCore, type MeasuredShape, type Outcome, predictOutcome } from './compatibility.ts';
import type { EngineVersion } from './engine-facts.ts';

/** Users who are alike here. */
export interface UserGroup {
  /** Connections by id; null: all. */
  readonly inbounds: readonly number[] | null;
  /** What their applications are built on; null: not known. */
  readonly core: ClientCore | null;
  readonly users: number;
}

export interface CutOffReason {
  readonly core: ClientCore;
  /** The fingerprint without which they would stay; null: no other fingerprint helps. */
  readonly fingerprint: string | null;
  readonly users: number;
}

export interface EngineCutOff {
  /** Users with a connection of the node. */
  readonly total: number;
  readonly users: number;
  /** Of the total, those whose application is not known. */
  readonly unknown: number;
  /** The most users first. */
  readonly reasons: readonly CutOffReason[];
}

type Connection = MeasuredShape & { readonly id: number };

const isOff = (outcome: Outcome | null) => outcome === 'fails' || outcome === 'unserved' || outcome === 'left_out';

/** `connections`: those of the node that are enabled. */
export function countCutOff(
  groups: readonly UserGroup[],
  connections: readonly Connection[],
  from: EngineVersion,
  to: EngineVersion,
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
    users += group.users;
    const isOfFingerprint = !isOff(predictOutcome(to, core, { ...lost, fingerprint: null }));
    const fingerprint = isOfFingerprint ? lost.fingerprint : null;
    const key = `${core} ${fingerprint}`;
    reasons.set(key, { core, fingerprint, users: group.users + (reasons.get(key)?.users ?? 0) });
  }
  return { total, users, unknown, reasons: [...reasons.values()].toSorted((a, b) => b.users - a.users) };
}
