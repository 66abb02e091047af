// Joins the machines of remote nodes: the token, the panel's key for nodes, and the connection attempts while a token is valid.

import { JOIN_MINUTES } from '../../contract/nodes/nodes.ts';
import type { Input, Output } from '../../contract/table.ts';
import { writeJoinToken } from '../../domain/nodes/join-token.ts';
import { parseOwnJson } from '../../domain/own-json.ts';
import type { AsyncContext, Env, Handlers, Transaction } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import { toHex, toInstant } from '../kernel/wire.ts';
import type { Result } from '../ports/call.ts';
import type { NodeTrust, PanelIdentity } from '../ports/engines.ts';
import type { NodeRow } from '../ports/nodes.ts';
import type { Store, Vault } from '../ports/ports.ts';

type JoinEnv = Pick<Env, 'clock' | 'invitations' | 'log' | 'store' | 'tasks' | 'timers' | 'transact'>;

const PLACE = 'nodes:identity';
const SECRET_BYTES = 32;
const MINUTE_MS = 60_000;
const ATTEMPT_EVERY_MS = 1000;

/** Null: no machine was joined yet. PanelError `vault_unavailable`. */
export function readPanelIdentity({
  store,
  vault,
}: {
  store: Pick<Store, 'sealed'>;
  vault: Vault;
}): PanelIdentity | null {
  const row = store.sealed.get(PLACE);
  return row === undefined ? null : (parseOwnJson(vault.open(row)) as PanelIdentity);
}

function requireIdentity(tx: Transaction, made: PanelIdentity): PanelIdentity {
  const present = readPanelIdentity(tx);
  if (present) return present;
  tx.store.sealed.save(tx.vault.seal(PLACE, JSON.stringify(made)));
  return made;
}

interface Invitation {
  readonly nodeId: number;
  readonly port: number;
  readonly secret: string;
  readonly endsAt: number;
  readonly identity: PanelIdentity;
}

async function inviteNode(
  { id: nodeId, port }: Input<'inviteNode'>,
  { env, commit }: AsyncContext<'inviteNode'>,
): Promise<Result<Output<'inviteNode'>>> {
  const { nodeTrust: trust, crypto, clock, vault } = env;
  if (!trust) throw new PanelError('unavailable');
  if (env.store.nodes.get(nodeId)?.kind !== 'remote') throw new PanelError('not_found');
  await vault.prepare();
  const made = readPanelIdentity(env) ?? (await trust.makeIdentity());
  const secret = toHex(crypto.randomBytes(SECRET_BYTES));
  const endsAt = clock.now() + JOIN_MINUTES * MINUTE_MS;
  let identity = made;
  const result = await commit((tx) => {
    if (tx.store.nodes.get(nodeId)?.kind !== 'remote') throw new PanelError('not_found');
    identity = requireIdentity(tx, made);
    tx.audit(`node:${nodeId}`, { port });
    const token = writeJoinToken({ port, panelPin: trust.computePin(identity), secret });
    return { body: { token, expires_at: toInstant(endsAt) } };
  });
  follow(env, trust, { nodeId, port, secret, endsAt, identity });
  return result;
}

/**
 * Dials the node until its machine is joined, or the token has expired or was replaced. Until the joined machine has answered, any other machine with
 * the same token is told that it was too late, so that its owner does not confuse the two.
 */
function follow(env: JoinEnv, trust: NodeTrust, { nodeId, port, secret, endsAt, identity }: Invitation): void {
  let isOver = false;
  let joinedPin: string | null = null;
  let cancel = () => {};
  const end = () => {
    if (isOver) return;
    isOver = true;
    cancel();
    env.invitations.remove(nodeId);
  };
  env.invitations.add(nodeId, end);

  const begin = () => env.tasks.start('joining a node', attempt);

  async function attempt(): Promise<void> {
    if (isOver) return;
    const node = env.store.nodes.get(nodeId);
    if (!node || env.clock.now() >= endsAt || isInUse(node, joinedPin)) return end();
    try {
      const pin = await env.tasks.untilStop(trust.join(identity, { host: node.address, port, secret }, joinedPin));
      if (isOver) return;
      if (joinedPin === null) await recordJoined(env, nodeId, port, pin);
      joinedPin ??= pin;
    } catch {
      // Nothing listens there yet, or it does not have the token.
    }
    if (!isOver) cancel = env.timers.after(ATTEMPT_EVERY_MS, begin);
  }
  begin();
}

/** Whether the joined machine has answered, or is no longer that of the node. */
function isInUse({ agentPin, agentProtocol }: NodeRow, joinedPin: string | null): boolean {
  return joinedPin !== null && (agentPin !== joinedPin || agentProtocol !== null);
}

async function recordJoined(
  env: Pick<Env, 'log' | 'transact'>,
  nodeId: number,
  port: number,
  pin: string,
): Promise<void> {
  await env.transact({ name: 'inviteNode', by: 'node' }, (tx) => {
    const { store } = tx;
    const node = store.nodes.get(nodeId);
    if (!node) return;
    store.nodes.save({
      ...node,
      agentPort: port,
      agentPin: pin,
      agentProtocol: null,
      restoredAt: null,
      updatedAt: tx.now,
    });
    // A machine forgets the configuration its engine was started with, so this panel restarts a running engine once.
    store.sync.savePosition(nodeId, null);
    tx.emit('node.changed', { node_id: nodeId, name: node.name }, ['joined']);
    tx.audit(`node:${nodeId}`, { joined: true, public_key: pin });
  });
  env.log.info('node joined', { node: nodeId });
}

export const JOIN_HANDLERS = { inviteNode: { run: inviteNode } } satisfies Handlers<'inviteNode'>;
