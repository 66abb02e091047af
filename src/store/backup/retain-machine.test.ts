// A restored database starts every engine again, and counts nothing that an engine has counted for the users of another panel.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sampleNode, sampleUser, tempFolder } from '../../../tests/support/temp-store.ts';
import { openStore } from '../index.ts';
import { loadMigrations } from '../migrate.ts';
import { rebuildDatabase } from './rebuild.ts';
import { retainMachine } from './retain-machine.ts';

it.each([
  ['of this panel', 'own', { boot: 'a', position: null, cautiousUntil: 0 }, [[1, { up: 3, down: 4 }]]],
  ['of another panel', 'other', { boot: null, position: null, cautiousUntil: 0 }, []],
])('%s', (_what, instanceId, sync, counters) => {
  using folder = tempFolder();
  const [backup, present, target] = ['backup', 'present', 'target'].map((name) => join(folder.path, name));
  if (!backup || !present || !target) throw new Error('no path');
  const source = openStore(backup);
  const nodeId = source.nodes.insert(sampleNode());
  source.users.insert(sampleUser());
  source.settings.set({ instanceId });
  source.sync.begin(nodeId, { boot: 'a', position: 1, cautiousUntil: 1 });
  source.sync.saveUserCounters(nodeId, [{ userId: 1, up: 3, down: 4 }]);
  source.close();
  const current = openStore(present);
  current.settings.set({ instanceId: 'own' });
  for (let count = 0; count < 5; count += 1) current.users.insert(sampleUser());
  current.close();
  rebuildDatabase(backup, target, loadMigrations().length);
  retainMachine(target, { present, sessionId: null, sealed: [], leftOut: [], publicUrl: null, doubt: null });
  const restored = openStore(target);
  try {
    expect(restored.sync.get(nodeId)).toEqual(sync);
    expect([...restored.sync.userCounters(nodeId, [1])]).toEqual(counters);
    expect(restored.sync.changes(0, 10)).toEqual([]);
    expect(restored.sync.latest()).toBe(5);
  } finally {
    restored.close();
  }
});
