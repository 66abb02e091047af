// A fake panel for the gallery: it has a million users, and refuses some calls.
import type { PanelTransport } from '../../../bridge/panel-transport.ts';
import { PanelCallError } from '../../../contract/client.ts';
import { buildProblem, type FieldError } from '../../../contract/errors.ts';
import { nodeExample } from '../../../contract/nodes/nodes.ts';
import { OPERATIONS } from '../../../contract/table.ts';
import { USER_STATES, type User, userExample } from '../../../contract/users/users.ts';

const FAKE_USERS = 1_000_000;
const FIRST_NAMES = ['Anna', 'Борис', 'Clara', 'Дарья', 'Egon', 'Фёдор', 'Greta', 'ياسمين'];
const GB = 1_000_000_000;

/** The user with this id, always the same. */
export function fakeUser(id: number): User {
  const state = USER_STATES[id % USER_STATES.length] ?? 'active';
  const name = FIRST_NAMES[id % FIRST_NAMES.length] ?? '';
  return {
    ...userExample,
    id,
    name: `${name} ${id}`,
    contact: id % 3 === 0 ? '' : `@user${id}`,
    state,
    traffic_limit: id % 4 === 0 ? null : 50 * GB,
    used_up: ((id * 7919) % 5000) * 1_000_000,
    used_down: ((id * 104_729) % 45_000) * 1_000_000,
    traffic_extra: id % 5 === 1 ? 10 * GB : 0,
  };
}

type Input = Readonly<Record<string, unknown>>;

export const fakeTransport: PanelTransport = {
  async call(id, input) {
    const { offset = 0, limit = 100, name } = input as Input;
    if (id === 'listUsers') {
      const first = Number(offset);
      const count = Math.min(Number(limit), FAKE_USERS - first);
      const items = Array.from({ length: count }, (_, step) => fakeUser(FAKE_USERS - first - step));
      return { items, total: FAKE_USERS, limit, offset: first, next_cursor: null };
    }
    if (id === 'createNode' && name === 'taken') {
      const errors: FieldError[] = [{ pointer: '#/name', code: 'invalid', message: 'is taken' }];
      throw new PanelCallError(buildProblem('validation', 'a1b2c3', errors));
    }
    if (id === 'createNode' && name === 'changed')
      throw new PanelCallError(buildProblem('precondition_failed', 'a1b2c3'));
    if (id === 'createNode' && name === 'busy') {
      throw new PanelCallError(buildProblem('rate_limited', 'a1b2c3'), { retryAfter: 5 });
    }
    if (id === 'createNode') return { ...nodeExample, name };
    return OPERATIONS[id].example.reply;
  },
  watch: () => () => {},
};
