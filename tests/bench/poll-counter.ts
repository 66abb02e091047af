// A child that counts a poll of an engine: as the panel does, or by the two statements a user that are the least there is.
import { noVault } from '../../src/adapters/vault/vault.ts';
import { createHeavyEnv } from '../../src/core/create-core.ts';
import { ingest } from '../../src/core/nodes/ingest.ts';
import type { EngineCounters } from '../../src/core/ports/engines.ts';
import type { Log } from '../../src/core/ports/ports.ts';
import { machineParts } from '../../src/panel/machine-parts.ts';
import { type FileStore, openStore } from '../../src/store/index.ts';
import { answerParent } from './child.ts';
import { movedUsers } from './moving-engine.ts';
import { usageAnswers } from './usage.ts';

export interface PollStart {
  readonly database: string;
  readonly users: number;
  readonly isBare: boolean;
}

const NODE = 1;
const PART = 250;
const BOOT = 'bench';
const log: Log = { info: () => {}, warn: console.warn, error: console.error };

let count: (users: EngineCounters['users']) => Promise<unknown> = async () => {};
let users = 0;
let polls = 0;

/** All of them may connect without an end, so that each counts by the same statements. */
const PLAIN = `UPDATE users SET state = 'active', enabled = 1, expires_at = 9000000000000000, state_due_at = NULL, due_at = NULL,
  resets_at = NULL, hold_months = NULL, hold_days = NULL, held_at = NULL, traffic_limit = NULL, announced = 0, extra = 0,
  online_at = coalesce(online_at, 1)`;

function bareCount(store: FileStore): typeof count {
  const db = store.connection();
  const use = db.prepare<[number, number, number, number, number, number, number, number]>(
    `UPDATE users SET used_up = used_up + ?, used_down = used_down + ?, used = used + ? + ?,
       total_up = total_up + ?, total_down = total_down + ?, online_at = ? WHERE id = ?`,
  );
  const save = db.prepare<[number, string, number, number, number]>(
    `INSERT INTO node_user_counters (node_id, boot, user_id, up, down) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (node_id, boot, user_id) DO UPDATE SET up = excluded.up, down = excluded.down`,
  );
  let last: EngineCounters['users'] = new Map();
  return async (counted) => {
    const all = [...counted];
    for (let next = 0; next < all.length; next += PART) {
      const now = Date.now();
      store.write(() => {
        for (const [id, is] of all.slice(next, next + PART)) {
          const was = last.get(id);
          const [up, down] = [is.up - (was?.up ?? 0), is.down - (was?.down ?? 0)];
          use.run(up, down, up, down, up, down, now, id);
          save.run(NODE, BOOT, id, is.up, is.down);
        }
      });
      await new Promise((resolve) => setImmediate(resolve));
    }
    last = counted;
  };
}

function start({ database, users: wanted, isBare }: PollStart): void {
  const store = openStore(database);
  store.connection().exec(PLAIN);
  store.write(() => store.sync.begin(NODE, { boot: BOOT, position: 0, cautiousUntil: 0 }));
  users = wanted;
  if (isBare) count = bareCount(store);
  else {
    const env = createHeavyEnv({
      ...machineParts(),
      store,
      log,
      vault: noVault,
      heavy: null,
      host: () => null,
      origin: () => '',
    });
    count = (counted) => ingest(env, NODE, { boot: BOOT, users: counted, inbounds: new Map() }, null);
  }
}

async function poll(): Promise<void> {
  polls += 1;
  await count(movedUsers(users, polls));
}

answerParent({ start, poll, ...usageAnswers(), stop: () => {} });
