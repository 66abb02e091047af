// What the engine of a node would refuse is refused when an inbound is written: an engine refuses its configuration as a whole.
import type { FieldError } from '../../contract/errors.ts';
import { describeMissing, type EngineVersion, missingFacts } from '../../domain/nodes/engine-facts.ts';
import { PanelError } from '../kernel/panel-error.ts';
import type { InboundRow } from '../ports/inbounds.ts';
import type { NodeRow } from '../ports/nodes.ts';

type Served = Pick<InboundRow, 'protocol' | 'network' | 'security' | 'flow' | 'method' | 'enabled'>;

/** The engine of a node as it last answered; null: it never did. */
export function findEngineVersion(node: NodeRow | undefined): EngineVersion | null {
  return !node || node.coreName === null ? null : { name: node.coreName, version: node.coreVersion ?? '' };
}

/**
 * Refuses with `validation` what the engine of the node does not know, as that last answered; one that never did is not asked. A disabled
 * inbound is in no configuration. What an enabled one had before may stay: it can be renamed although its node got another engine.
 */
export function requireServable(node: NodeRow | undefined, wanted: Served, before?: Served): void {
  const engine = findEngineVersion(node);
  if (!wanted.enabled) return;
  if (engine === null) return;
  const present = before?.enabled ? missingFacts(before, engine) : [];
  const errors = missingFacts(wanted, engine)
    .filter((fact) => !present.includes(fact))
    .map((fact): FieldError => {
      return { pointer: `#/${fact.field}`, code: 'not_served', message: describeMissing(fact, engine) };
    });
  if (errors.length > 0) throw new PanelError('validation', errors);
}
