// The name of what an event is about: events of users say its number only, and a person knows no numbers.
import type { EventData } from '../contract/events.ts';
import type { Call } from '../core/call.ts';
import type { Core } from '../core/core.ts';

const CALL: Call = {
  actor: { kind: 'panel', id: null, name: 'desktop', access: 'full' },
  requestId: 'notice',
  address: null,
};

/** Its name as it is now, its number where it is gone by now; empty where the event is about neither a user nor a node. */
export function subjectOf(core: Pick<Core, 'call'>, data: EventData): string {
  if (data.name !== undefined) return data.name;
  const id = data.user_id ?? data.node_id;
  if (id === undefined) return '';
  try {
    return core.call(data.user_id === undefined ? 'getNode' : 'getUser', { id }, CALL).body.name;
  } catch {
    return `#${id}`;
  }
}
