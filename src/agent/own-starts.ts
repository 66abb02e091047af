// Starts that the machine makes by itself: with the part of the assignment that the engine serves, leaving out inbounds that make it fail.
import { type Engine, EngineError, findConfigError } from '../core/ports/engines.ts';
import type { Crypto, Log } from '../core/ports/ports.ts';
import { findNamedByPort, findServable } from '../domain/nodes/servable.ts';
import { type Assignment, type EngineAssignment, withoutLeftOut } from './assignment.ts';
import type { NodeLease } from './ports/lease.ts';

const BOOT_BYTES = 8;

interface Parts {
  readonly engine: Engine;
  readonly assignment: Assignment;
  readonly crypto: Pick<Crypto, 'randomBytes'>;
  readonly log: Log;
  readonly lease: NodeLease;
}

export interface OwnStarts {
  /** The part of the assignment that the engine would serve. Rejects if the engine does not answer the check, or would serve nothing. */
  plan(wanted: EngineAssignment): Promise<EngineAssignment>;
  /** Starts the engine; resolves with what it serves, which may leave out more. */
  start(planned: EngineAssignment): Promise<EngineAssignment>;
  /** Allows inbounds that made a start fail to be tried again. */
  forgetFailures(): void;
}

export function createOwnStarts({ engine, assignment, crypto, log, lease }: Parts): OwnStarts {
  /** Inbounds that made a start fail although the check had accepted them. A running engine is not restarted to try them again. */
  const failedAtStart = new Set<number>();

  async function plan(next: EngineAssignment): Promise<EngineAssignment> {
    const { config } = next;
    const { served, refused } = await findServable(config.inbounds, (inbounds) =>
      findConfigError(engine, { ...config, inbounds }),
    );
    const [first] = refused;
    if (served.length === 0 && first) throw first.reason;
    const ids = refused.map(({ item }) => item.id);
    for (const id of ids) failedAtStart.delete(id);
    return { ...next, leftOut: [...ids, ...failedAtStart] };
  }

  async function start(next: EngineAssignment): Promise<EngineAssignment> {
    const id = Buffer.from(crypto.randomBytes(BOOT_BYTES)).toString('hex');
    const config = withoutLeftOut(next);
    const people = assignment.allowedUsers({ ...next, config });
    try {
      // The prefix of the boot id tells the panel that the users of its own start are allowed.
      await engine.start(config, people, `${next.boot}r${id}`);
    } catch (error) {
      const culprit = error instanceof EngineError ? findNamedByPort(config.inbounds, error) : undefined;
      if (!culprit || config.inbounds.length === 1) throw error;
      failedAtStart.add(culprit.id);
      return start({ ...next, leftOut: [...next.leftOut, culprit.id] });
    }
    lease.markStarted(people.map(({ userId }) => userId));
    assignment.save(next);
    if (next.leftOut.length > 0) log.warn('inbounds left out', { inbounds: next.leftOut.join(' ') });
    return next;
  }

  return { plan, start, forgetFailures: () => failedAtStart.clear() };
}
