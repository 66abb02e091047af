// After a restart buyers cannot change anything before the nodes have said whether another panel has taken over.
import { expect, it } from 'vitest';
import { coreParts } from '../../tests/support/core.ts';
import { sampleNode, tempStore } from '../../tests/support/temp-store.ts';
import { createCore } from './create-core.ts';
import type { PanelRole, RoleState } from './ports/role.ts';

function createRole() {
  const answered: (() => void)[] = [];
  const changes: (() => void)[] = [];
  let state: RoleState = 'active';
  const role: PanelRole = {
    state: () => state,
    claim: () => ({ epoch: 1, startedAt: 0, run: '0'.repeat(32) }),
    recordObeyed() {},
    recordRefused() {},
    onChange: (listener) => changes.push(listener),
    onAnswered: (listener) => answered.push(listener),
  };
  return {
    role,
    answer(next: RoleState) {
      state = next;
      for (const listener of [...changes, ...answered]) listener();
    },
  };
}

const getCode = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: { readonly code?: string }) => error.code ?? String(error),
  );

it.each([
  ['active', 'not_found'],
  ['superseded', 'superseded'],
] as const)('a node answers, and the panel is %s', async (state, code) => {
  using temp = tempStore();
  temp.store.nodes.insert({ ...sampleNode(), kind: 'remote', agentPort: 4443, agentPin: 'a'.repeat(64) });
  const { role, answer } = createRole();
  const core = createCore(coreParts(temp, { role }));
  core.start();
  expect(await getCode(core.shop.pollOrder('unknown'))).toBe('unavailable');
  answer(state);
  expect(await getCode(core.shop.pollOrder('unknown'))).toBe(code);
  const imported = getCode(core.imports.apply({ paths: [], source: null, nodeId: null }));
  // These parts have no import thread.
  expect(await imported).toBe(state === 'active' ? 'unavailable' : state);
  await core.stop();
});
