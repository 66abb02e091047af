// Pushes users to the engine of a node: all allowed users at a start, then changes, and repairs of changes made by others.
import { endsWhenReopened } from '../../domain/nodes/engine-facts.ts';
import { getServed, listOnline, recordAllowed, recordSuspects } from '../../domain/nodes/node-state.ts';
import { NO_CREDENTIALS } from '../ports/credentials.ts';
import {
  type EngineChange,
  type EngineConfig,
  EngineError,
  type EngineInbound,
  type EngineUser,
} from '../ports/engines.ts';
import type { Member, NodeChange } from '../ports/sync.ts';
import { type NodeRun, type Round, writeTo } from './node-run.ts';

/** Batch sizes: changes per read, users per request to the engine, users per read at a start. */
const CHANGES = 200;
const TOGETHER = 256;
const PAGE = 1000;

interface Refused {
  readonly userId: number;
  readonly inboundId: number;
  readonly message: string;
}

function chunks<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}

function buildPairKey(userId: number, inboundId: number): string {
  return `${userId} ${inboundId}`;
}

function quarantinedPairs({ env, nodeId }: NodeRun): ReadonlySet<string> {
  const quarantined = env.store.sync.quarantined(nodeId);
  return new Set(quarantined.map(({ userId, inboundId }) => buildPairKey(userId, inboundId)));
}

/** All users who may connect to one of these inbounds, except those that are pushed one by one later. */
export async function allowedUsers(node: NodeRun, config: EngineConfig, leftOut: ReadonlySet<number>) {
  const { store, timers } = node.env;
  const ids = config.inbounds.map(({ id }) => id);
  const pairs = quarantinedPairs(node);
  const users: (EngineUser & { readonly inbounds: readonly number[] })[] = [];
  for (
    let page = store.sync.membersAfter(node.nodeId, 0, PAGE);
    page.length > 0;
    page = store.sync.membersAfter(node.nodeId, page.at(-1)?.userId ?? 0, PAGE)
  ) {
    for (const { userId, credentials, inbounds: own } of page) {
      if (leftOut.has(userId)) continue;
      const inbounds = ids.filter((id) => (own === null || own.includes(id)) && !pairs.has(buildPairKey(userId, id)));
      if (inbounds.length > 0) users.push({ userId, credentials, inbounds });
    }
    await new Promise<void>((resolve) => timers.soon(resolve));
  }
  return users;
}

function buildChange(userId: number, inbound: EngineChange['inbound'], member: Member | undefined): EngineChange {
  const isAllowed = member !== undefined && (member.inbounds === null || member.inbounds.includes(inbound.id));
  return { inbound, user: { userId, credentials: member?.credentials ?? NO_CREDENTIALS }, isAllowed };
}

function buildChanges(node: NodeRun, rows: readonly NodeChange[], config: EngineConfig): readonly EngineChange[] {
  const ids = [...new Set(rows.map(({ userId }) => userId))];
  const members = new Map(node.env.store.sync.members(node.nodeId, ids).map((member) => [member.userId, member]));
  const pairs = quarantinedPairs(node);
  return ids
    .flatMap((userId) => config.inbounds.map((inbound) => buildChange(userId, inbound, members.get(userId))))
    .filter(({ user, inbound }) => !pairs.has(buildPairKey(user.userId, inbound.id)));
}

function quarantine({ env: { store, clock } }: NodeRun, entries: readonly Refused[]): void {
  for (const entry of entries) if (store.inbounds.get(entry.inboundId)) store.sync.quarantine(entry, clock.now());
}

/** Handles a crash caused by changes: a single change is quarantined; several are marked to be pushed one by one after the next start. */
async function quarantineCulprit(node: NodeRun, changes: readonly EngineChange[], until: number, error: EngineError) {
  const { env, nodeId, engine } = node;
  const { sync } = env.store;
  const { boot } = sync.get(nodeId);
  const running = await engine.running().catch(() => undefined);
  const isCrashed =
    error.code === 'engine_crashed' || running === null || (running !== undefined && running.boot !== boot);
  if (!isCrashed) return;
  const [change] = changes;
  await writeTo(env, () => {
    if (sync.get(nodeId).boot !== boot) return;
    if (changes.length > 1 || !change) sync.saveCaution(nodeId, until);
    else quarantine(node, [{ userId: change.user.userId, inboundId: change.inbound.id, message: error.message }]);
  });
}

/** Connections whose open sessions can be ended by reopening. */
export function listReopenable({ engine }: Pick<NodeRun, 'engine'>, config: EngineConfig): readonly EngineInbound[] {
  return engine.reopen === undefined ? [] : config.inbounds.filter(endsWhenReopened);
}

/** These users may not connect, and may have a session that reopening ends. A cut for some minutes is not worth ending those of all the others. */
export function suspect(node: NodeRun, userIds: readonly number[]): void {
  const served = getServed(node.state);
  if (userIds.length === 0 || served === null || listReopenable(node, served.config).length === 0) return;
  const forNow = new Set(node.env.store.sync.cutOffForNow(userIds));
  node.state = recordSuspects(
    node.state,
    userIds.filter((id) => !forNow.has(id)),
  );
}

/** Pushes changes; refused users are quarantined. `until`: the last change of the log in this batch. */
async function applyChanges(node: NodeRun, changes: readonly EngineChange[], until: number): Promise<void> {
  let outcomes: readonly (EngineError | null)[];
  try {
    outcomes = await node.engine.apply(changes);
  } catch (error) {
    if (error instanceof EngineError) await quarantineCulprit(node, changes, until, error);
    throw error;
  }
  const allowed = changes.flatMap(({ user, isAllowed }) => (isAllowed ? [user.userId] : []));
  node.state = recordAllowed(node.state, allowed);
  const removed = changes.filter(({ inbound, isAllowed }) => !isAllowed && endsWhenReopened(inbound));
  suspect(
    node,
    listOnline(
      node.state,
      removed.map(({ user }) => user.userId),
    ),
  );
  const refused = changes.flatMap(({ user, inbound }, index) => {
    const outcome = outcomes[index];
    return outcome ? [{ userId: user.userId, inboundId: inbound.id, message: outcome.message }] : [];
  });
  if (refused.length > 0) await writeTo(node.env, () => quarantine(node, refused));
}

/**
 * Pushes the next changes of the log; after a crash, one change at a time. `canAllow` false: only removes users, and pushes all changes again later.
 * Returns whether more changes may be pending.
 */
export async function pushChanges(node: NodeRun, { desired, running }: Round, canAllow: boolean): Promise<boolean> {
  const { env, nodeId } = node;
  const { sync } = env.store;
  const { position, cautiousUntil } = sync.get(nodeId);
  if (position === null) return false;
  const isCautious = position < cautiousUntil;
  const rows = sync.changes(position, isCautious ? 1 : CHANGES);
  const last = rows.at(-1);
  if (!last) return false;
  const config = getServed(node.state)?.config ?? desired.config;
  const changes = buildChanges(node, rows, config).filter(({ isAllowed }) => canAllow || !isAllowed);
  for (const some of chunks(changes, isCautious ? 1 : TOGETHER)) await applyChanges(node, some, last.id);
  if (!canAllow) return false;
  return writeTo(env, () => {
    // A restored database has its own positions.
    const now = sync.get(nodeId);
    const isSame = now.boot === running?.boot && now.position === position;
    if (isSame) sync.savePosition(nodeId, last.id);
    return isSame;
  });
}

/**
 * Compares the users on an inbound with the records, in batches. `isAnew`: users who are on it and may be are sent again, with their present
 * credentials. Returns the number of users sent.
 */
async function repairInbound(
  node: NodeRun,
  inbound: EngineInbound,
  ids: readonly number[],
  isAnew: boolean,
): Promise<number> {
  const { store, timers } = node.env;
  const { sync } = store;
  const latest = sync.latest();
  const present = new Set(ids);
  const unknown = new Set(ids);
  let count = 0;
  for (let page = sync.userIdsAfter(0, PAGE); page.length > 0; page = sync.userIdsAfter(page.at(-1) ?? 0, PAGE)) {
    const pairs = quarantinedPairs(node);
    const members = new Map(sync.members(node.nodeId, page).map((member) => [member.userId, member]));
    const changes = page
      .map((userId) => {
        const isLeftOut = pairs.has(buildPairKey(userId, inbound.id));
        return buildChange(userId, inbound, isLeftOut ? undefined : members.get(userId));
      })
      .filter(({ user, isAllowed }) => (isAnew && isAllowed) || isAllowed !== present.has(user.userId));
    for (const some of chunks(changes, TOGETHER)) await applyChanges(node, some, latest);
    count += changes.length;
    for (const userId of page) unknown.delete(userId);
    await new Promise<void>((resolve) => timers.soon(resolve));
  }
  // A machine may report any number of unknown users: only a few are removed at a time.
  const others = [...unknown].slice(0, TOGETHER).map((userId) => buildChange(userId, inbound, undefined));
  if (others.length > 0) await applyChanges(node, others, latest);
  return count + others.length;
}

/** Repairs the users on each inbound, if the engine can list them. */
export async function repairDrift(node: NodeRun, config: EngineConfig): Promise<void> {
  const { env, nodeId, engine } = node;
  let changes = 0;
  for (const inbound of config.inbounds) {
    const ids = await engine.members(inbound);
    if (ids !== null) changes += await repairInbound(node, inbound, ids, false);
  }
  if (changes > 0) env.log.warn('engine had other users', { node: nodeId, changes });
}

/** Whether more users are on an inbound who are not in the records than are removed at a time. */
function hasTooManyOthers({ env: { store } }: NodeRun, ids: readonly number[]): boolean {
  let others = ids.length;
  for (let next = 0; next < ids.length; next += PAGE) others -= store.users.rows(ids.slice(next, next + PAGE)).length;
  return others > TOGETHER;
}

type InboundMembers = readonly [inbound: EngineInbound, userIds: readonly number[]];

/** The users on each inbound of a running engine; null: it cannot list those of one of them, which it may lack, or lists too many that are not in the records. */
export async function findMembers(node: NodeRun, config: EngineConfig): Promise<readonly InboundMembers[] | null> {
  const members: InboundMembers[] = [];
  for (const inbound of config.inbounds) {
    let ids: readonly number[] | null;
    try {
      ids = await node.engine.members(inbound);
    } catch (error) {
      if (!(error instanceof EngineError) || error.code !== 'engine_refused') throw error;
      return null;
    }
    if (ids === null || hasTooManyOthers(node, ids)) return null;
    members.push([inbound, ids]);
  }
  return members;
}

/** Replaces the users on each inbound by those of the records, each with their present credentials. */
export async function replaceUsers(node: NodeRun, members: readonly InboundMembers[]): Promise<void> {
  for (const [inbound, ids] of members) await repairInbound(node, inbound, ids, true);
}
