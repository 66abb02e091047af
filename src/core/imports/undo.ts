// Takes an import back: what came from a source and is as it came, first users, then tariffs and inbounds that nobody uses any more.
import { removeSecrets } from '../inbounds/inbound-secrets.ts';
import type { Env, Transaction } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import { requireRole } from '../kernel/role.ts';
import type { Call } from '../ports/call.ts';
import { linkSecretPlace } from '../subscription/imported-links.ts';
import { removeUser } from '../users/users.ts';

/** Records in one transaction, which other requests wait for. */
const CHUNK = 25;
const KINDS = ['user', 'tariff', 'inbound'] as const;
type Kind = (typeof KINDS)[number];

/** Whether the record was deleted: not if something uses it. */
const REMOVE: Readonly<Record<Kind, (tx: Transaction, id: number) => boolean>> = {
  user(tx, id) {
    const row = tx.store.users.get(id);
    if (row) removeUser(tx, row);
    return row !== undefined;
  },
  tariff({ store, emit }, id) {
    const row = store.tariffs.get(id);
    if (!row || store.users.usesOfTariff(id).total > 0) return false;
    store.tariffs.remove(id);
    emit('tariff.deleted', { tariff_id: id, name: row.name });
    return true;
  },
  inbound(tx, id) {
    const { store } = tx;
    const row = store.inbounds.get(id);
    if (!row || store.users.usesOfInbound(id).total + store.tariffs.usesOfInbound(id).total > 0) return false;
    if (store.imports.hasOpenAccess() || store.inbounds.sharing(id).length > 0) return false;
    store.inbounds.remove(id);
    removeSecrets(tx, id);
    tx.emit('inbound.deleted', { inbound_id: id, node_id: row.nodeId, name: row.name });
    return true;
  },
};

/** Nothing is behind the links of a source without users. */
function removeUnusedLinks({ store }: Transaction, source: string): void {
  const users = store.imports.summaries().find((each) => each.source === source)?.users ?? 0;
  if (users > 0) return;
  store.imports.removeLinkSource(source);
  store.sealed.remove(linkSecretPlace(source));
}

export async function deleteUntouched(
  env: Env,
  by: Call,
  source: string,
): Promise<{ readonly users: number; readonly tariffs: number; readonly inbounds: number }> {
  const action = { name: 'undoImport', by };
  const name = source.split(' ')[0];
  const removed = { user: 0, tariff: 0, inbound: 0 };
  // An undo that is killed has a row too.
  await env.transact(action, (tx) => tx.audit(null, { source: name, state: 'started' }));
  for (const kind of KINDS) {
    for (let after = 0; ; ) {
      requireRole(env);
      const { last, count } = await env.transact(action, (tx) => {
        const ids = tx.store.imports.untouched(kind, source, after, CHUNK);
        const gone = ids.filter((id) => REMOVE[kind](tx, id));
        // The next import brings it again.
        for (const id of gone) tx.store.imports.remove(kind, id);
        return { last: ids.at(-1), count: gone.length };
      });
      if (last === undefined) break;
      removed[kind] += count;
      after = last;
      await env.turn();
      if (env.tasks.isStopping()) throw new PanelError('unavailable');
    }
  }
  const result = { users: removed.user, tariffs: removed.tariff, inbounds: removed.inbound };
  await env.transact(action, (tx) => {
    removeUnusedLinks(tx, source);
    tx.audit(null, { source: name, state: 'done', ...result });
  });
  return result;
}
