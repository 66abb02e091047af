// A child that makes a demonstration, tells how long that took, and adds what the figures need and a demonstration has not.
import { systemClock } from '../../src/adapters/clock.ts';
import type { Store } from '../../src/core/ports/ports.ts';
import { trafficSlot } from '../../src/core/users/traffic.ts';
import { prepareDemoFolder } from '../../src/demo/folder.ts';
import { DAY_MS, HOUR_MS } from '../../src/domain/limits.ts';
import { ownFolder } from '../../src/panel/owned-folder.ts';
import { openConnection } from '../../src/store/database.ts';
import { answerParent } from './child.ts';
import { getDatabasePath } from './databases.ts';
import { RARE_WORDS } from './rare-words.ts';

const NODES = 50;
const DAYS = 30;
const GB = 1_000_000_000;
/** One user in so many is online for as long as a database may be kept, and the others are not. */
const ONLINE_OF = 20;
/** What time alone would change while it is measured: who is online, and from too many addresses. */
const FIX_IN_TIME = `UPDATE users SET excess = NULL, excess_at = NULL, cut_off_until = NULL, cut_off_node_id = NULL,
  online_at = CASE WHEN id % ${ONLINE_OF} = 0 THEN :later ELSE min(online_at, :earlier) END`;

function fill({ folder, users }: { folder: string; users: number }): number {
  const began = performance.now();
  prepareDemoFolder(folder, users);
  const seconds = (performance.now() - began) / 1000;
  const { store, settings, close } = ownFolder(folder, 'bench');
  const now = systemClock.now();
  store.write(() => nameSome(store, users));
  store.write(() => addNodes(store, now, settings.timeZone));
  close();
  const db = openConnection(getDatabasePath(folder));
  db.prepare(FIX_IN_TIME).run({ later: now + DAYS * DAY_MS, earlier: now - HOUR_MS });
  db.close();
  return seconds;
}

/** Each word stands in the note of one user, somewhere in the middle. */
function nameSome({ users }: Store, count: number): void {
  RARE_WORDS.forEach(({ written }, index) => {
    const user = users.get(Math.ceil((count * (index + 1)) / (RARE_WORDS.length + 1)));
    if (user === undefined) throw new Error('there is no user in the middle');
    users.save(user, { ...user, note: `Came by ${written} in spring` });
  });
}

function addNodes({ nodes, traffic }: Store, now: number, timeZone: string): void {
  const [like] = nodes.page(1, 0);
  if (like === undefined) throw new Error('there is no node');
  for (let count = nodes.count(); count < NODES; count += 1) {
    const nodeId = nodes.insert({ ...like, name: `Node ${count + 1}`, address: `n${count + 1}.example.net` });
    for (let back = 0; back < DAYS * 24; back += 1) {
      const slot = trafficSlot(now - back * HOUR_MS, timeZone);
      traffic.addToNode(nodeId, slot, { up: GB + back, down: 20 * GB + back });
    }
  }
}

answerParent({ fill, stop() {} });
