// Rejects inbounds that the engine of their node would refuse, because an engine refuses its whole configuration over one of them.
import type { FieldError } from '../../contract/errors.ts';
import {
  describeMissing,
  type EngineVersion,
  missingFacts,
  type ServedShape,
} from '../../domain/nodes/engine-facts.ts';
import { PanelError } from '../kernel/panel-error.ts';
import type { InboundRow } from '../ports/inbounds.ts';
import type { NodeRow } from '../ports/nodes.ts';

type Served = ServedShape & Pick<InboundRow, 'enabled'>;

/** The engine of a node as last reported; null: never. */
export function findEngineVersion(node: NodeRow | undefined): EngineVersion | null {
  return !node || node.coreName === null ? null : { name: node.coreName, version: node.coreVersion ?? '' };
}

/**
 * Rejects with `validation` what the node's engine does not support, by its last report; without a report, everything is accepted. A disabled inbound
 * is in no configuration. Existing settings of an enabled inbound stay valid: it can be renamed after its node got another engine.
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
