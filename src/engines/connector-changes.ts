// One change of a user's access, as calls to an engine's API.
import { type EngineChange, EngineError } from '../core/ports/engines.ts';
import { buildAccount, type Dialect } from './connector-accounts.ts';
import { type DialectCall, type Refusal, toEngineError } from './connector-channel.ts';
import { decodePeerKey, encodeAddUser, encodeAlterInbound, encodeTexts } from './connector-messages.ts';
import { userKey } from './connector-names.ts';
import { wireguardPeer } from './wireguard-key.ts';

/** How many times Shadowsocks may have the same user; removing stops after that. */
const NAMESAKES = 16;

/** Allows or blocks one user. Does not rely on what the engine has: an earlier change may have failed halfway. */
export async function applyChange(
  call: DialectCall,
  inDialect: Dialect,
  { inbound, user, isAllowed }: EngineChange,
): Promise<EngineError | null> {
  const email = userKey(user.userId, inbound.tag);
  const alter = async (kind: 'AddUser' | 'RemoveUser', bytes: Uint8Array): Promise<Refusal | null> => {
    const operation = { type: `${inDialect}.app.proxyman.command.${kind}Operation`, bytes };
    const request = encodeAlterInbound(inbound.tag, operation);
    const answer = await call(inDialect, 'proxyman.command.HandlerService/AlterInbound', request);
    return 'refusal' in answer ? answer.refusal : null;
  };
  const remove = () => alter('RemoveUser', encodeTexts({ 1: email }));

  /** Shadowsocks accepts the same name twice and removes one at a time, so this removes until there is none. */
  async function removeAll(): Promise<Refusal | null> {
    for (let count = 0; count < NAMESAKES; count += 1) {
      const refusal = await remove();
      if (refusal !== null || inbound.protocol !== 'shadowsocks') return refusal;
    }
    return null;
  }

  async function hasOtherKey(): Promise<boolean> {
    const request = encodeTexts({ 1: inbound.tag, 2: email });
    const answer = await call(inDialect, 'proxyman.command.HandlerService/GetInboundUsers', request);
    if ('refusal' in answer) return false;
    const present = decodePeerKey(answer.bytes);
    return present !== null && present !== wireguardPeer(inbound, user).publicKey;
  }

  async function add(): Promise<Refusal | null> {
    const request = encodeAddUser(email, buildAccount(inDialect, inbound, user));
    if (inbound.protocol === 'shadowsocks') await removeAll();
    // Newer engines allow a user with every password they were sent, and remove one of them at a time.
    if (inbound.protocol === 'hysteria2') await remove();
    // A peer is identified by its key alone: after a change of keys the former peer would stay.
    if (inbound.protocol === 'wireguard' && (await hasOtherKey())) await remove();
    const refusal = await alter('AddUser', request);
    if (refusal?.kind !== 'user_exists') return refusal;
    await remove();
    return alter('AddUser', request);
  }

  try {
    const refusal = isAllowed ? await add() : await removeAll();
    const isDone = refusal === null || (!isAllowed && (refusal.kind === 'no_user' || refusal.kind === 'no_inbound'));
    return isDone ? null : toEngineError(refusal);
  } catch (error) {
    if (error instanceof EngineError && error.code === 'engine_refused') return error;
    throw error;
  }
}
