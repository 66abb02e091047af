// Groups of inbounds: one definition on several nodes.
import type { Inbound } from '../../contract/inbounds.ts';
import type { Input, Output } from '../../contract/table.ts';
import { removeSecrets } from '../inbounds/inbound-secrets.ts';
import { copyInbound, prepareCopies, requireInbound, requireUnshared, viewInbound } from '../inbounds/inbounds.ts';
import type { AsyncContext, Context, Handlers, Transaction } from '../kernel/context.ts';
import { inUseError, PanelError } from '../kernel/panel-error.ts';
import type { Result } from '../ports/call.ts';
import type { InboundRow } from '../ports/inbounds.ts';
import { actTogether, stepFor } from '../users/bulk.ts';

/** Users changed in one transaction; other writes run in between. */
const TOGETHER = 500;

const byId = (a: number, b: number) => a - b;

/** All inbounds with the same definition, including this one, by id. */
function listGroupMembers({ store }: Context, inbound: InboundRow): readonly InboundRow[] {
  return inbound.groupId === null ? [inbound] : store.inbounds.ofGroup(inbound.groupId);
}

interface Wanted {
  readonly source: InboundRow;
  readonly remaining: readonly InboundRow[];
  readonly leave: readonly InboundRow[];
  /** Nodes without a member of the group. */
  readonly added: readonly number[];
}

function computeWanted({ id, node_ids: nodeIds }: Input<'placeInbound'>, context: Context): Wanted {
  const source = requireInbound(context, id);
  const members = listGroupMembers(context, source);
  const isWanted = ({ nodeId }: InboundRow) => nodeIds.includes(nodeId);
  const added = nodeIds.filter((nodeId) => !members.some((member) => member.nodeId === nodeId));
  const remaining = members.filter(isWanted);
  return { source, remaining, leave: members.filter((member) => !isWanted(member)), added };
}

/** Replaces an inbound by others in tariffs. */
function changePlans(tx: Transaction, from: number, change: (named: readonly number[]) => readonly number[]): void {
  const { store, now } = tx;
  for (const plan of store.tariffs.page({}, store.tariffs.count({}), 0)) {
    if (!plan.inbounds?.includes(from)) continue;
    const inbounds = [...new Set(change(plan.inbounds))].sort(byId);
    store.tariffs.save({ ...plan, inbounds, updatedAt: now, version: plan.version + 1 });
    tx.emit('tariff.changed', { tariff_id: plan.id, name: plan.name }, ['inbounds']);
  }
}

/** Replaces an inbound by others for these users. */
function changeUsers(tx: Transaction, ids: readonly number[], from: number, to: readonly number[]): void {
  const bulk: Input<'bulkUsers'> = {
    action: 'move_inbounds',
    ids: [...ids],
    from_inbounds: [from],
    inbounds: [...to],
    dry_run: false,
    atomic: false,
  };
  const acted = actTogether(tx, bulk, stepFor(bulk, tx, null), ids, tx.store.users.rows(ids));
  const users = acted.filter(({ user }) => user !== undefined).length;
  tx.audit(`inbound:${from}`, { users, inbounds: [...to] });
}

/** Repeats a change of users, one transaction each, until none are left. */
async function changeAll(
  { transaction }: Pick<AsyncContext<'placeInbound'>, 'transaction'>,
  next: (tx: Transaction) => readonly number[],
  change: (tx: Transaction, ids: readonly number[]) => void,
): Promise<void> {
  for (let isOver = false; !isOver; ) {
    isOver = await transaction((tx) => {
      const ids = next(tx);
      if (ids.length > 0) change(tx, ids);
      return ids.length < TOGETHER;
    });
  }
}

/** Refuses if a tariff or user has a leaving inbound but would get none of the remaining or added ones. */
function requireReplaced(context: Context, { leave, remaining, added, source }: Wanted): void {
  const { store } = context;
  // Tariffs and users with the copied inbound also get the copies.
  const isCopied = added.length > 0;
  const remainingIds = remaining.map(({ id }) => id);
  for (const { id } of leave) {
    if (isCopied && id === source.id) continue;
    const [only] = store.users.namingInbound(id, remainingIds, false, 1);
    const plans = store.tariffs
      .page({}, store.tariffs.count({}), 0)
      .filter(({ inbounds }) => inbounds?.includes(id) && !inbounds.some((other) => remainingIds.includes(other)));
    if (only === undefined && plans.length === 0) continue;
    throw inUseError('inbound_in_use', {
      users: store.users.usesOfInbound(id),
      tariffs: store.tariffs.usesOfInbound(id),
    });
  }
}

async function placeInbound(
  input: Input<'placeInbound'>,
  context: AsyncContext<'placeInbound'>,
): Promise<Result<Output<'placeInbound'>>> {
  const { env, transaction, commit } = context;
  const source = env.store.inbounds.get(input.id);
  if (!source) throw new PanelError('not_found');
  const certificates = await prepareCopies(
    env,
    source,
    input.node_ids.filter((nodeId) => nodeId !== source.nodeId),
  );

  // Copies are added first, so that no user is ever left without an inbound.
  const added = await transaction((tx) => {
    const wanted = computeWanted(input, tx);
    requireReplaced(tx, wanted);
    requireUnshared(tx, wanted.leave);
    const { copies } = copyInbound(tx, wanted.source, wanted.added, certificates);
    const ids = copies.map(({ id }) => id);
    if (ids.length > 0) changePlans(tx, source.id, (named) => [...named, ...ids]);
    return ids;
  });
  const [first] = added;
  if (first !== undefined) {
    const usersWithout = (tx: Transaction) => tx.store.users.namingInbound(source.id, [first], false, TOGETHER);
    await changeAll(context, usersWithout, (tx, ids) => changeUsers(tx, ids, source.id, [source.id, ...added]));
  }
  const { leave, remaining } = await transaction((tx) => computeWanted(input, tx));
  const remainingIds = remaining.map(({ id }) => id);
  for (const { id } of leave) {
    const usersNaming = (tx: Transaction) => tx.store.users.namingInbound(id, remainingIds, true, TOGETHER);
    await changeAll(context, usersNaming, (tx, ids) => changeUsers(tx, ids, id, []));
  }
  return commit((tx) => {
    const { store } = tx;
    requireUnshared(tx, leave);
    for (const row of leave) {
      changePlans(tx, row.id, (named) => named.filter((id) => id !== row.id));
      const [users, tariffs] = [store.users.usesOfInbound(row.id), store.tariffs.usesOfInbound(row.id)];
      if (users.total + tariffs.total > 0) throw inUseError('inbound_in_use', { users, tariffs });
      store.inbounds.remove(row.id);
      removeSecrets(tx, row.id);
      tx.emit('inbound.deleted', { inbound_id: row.id, node_id: row.nodeId, name: row.name });
    }
    if (added.length + leave.length > 0) {
      tx.audit(`inbound:${source.id}`, { node_ids: input.node_ids, added, deleted: leave.map(({ id }) => id) });
    }
    const items = remaining.flatMap(({ id }): Inbound[] => {
      const row = store.inbounds.get(id);
      return row ? [viewInbound(tx, row)] : [];
    });
    return { body: { items } };
  });
}

export const INBOUND_GROUP_HANDLERS = { placeInbound: { run: placeInbound } } satisfies Handlers<'placeInbound'>;
