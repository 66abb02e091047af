// The name of what an event is about: events of users say its number only, and a person knows no numbers.
import type { EventData } from '../contract/events.ts';
import type { Call, Reply } from '../core/context.ts';
import type { Core } from '../core/core.ts';

const CALL: Call = {
  actor: { kind: 'panel', id: null, name: 'desktop', access: 'full' },
  requestId: 'notice',
  address: null,
};

/** Its name as it is now, its number where it is gone by now; empty where the event is about neither a user nor a node. */
export function subjectOf({ dispatch }: Pick<Core, 'dispatch'>, data: EventData): string {
  if (data.name !== undefined) return data.name;
  const id = data.user_id ?? data.node_id;
  if (id === undefined) return '';
  try {
    const { body } = dispatch(data.user_id === undefined ? 'getNode' : 'getUser', { id }, CALL) as Reply;
    return (body as { readonly name: string }).name;
  } catch {
    return `#${id}`;
  }
}
