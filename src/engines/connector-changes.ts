// One change of who may connect, as the calls that it takes an engine.
import { type EngineChange, EngineError } from '../core/ports/engines.ts';
import { buildAccount, type Dialect } from './connector-accounts.ts';
import { type DialectCall, type Refusal, toEngineError } from './connector-channel.ts';
import { decodePeerKey, encodeAddUser, encodeAlterInbound, encodeTexts } from './connector-messages.ts';
import { userKey } from './connector-names.ts';
import { wireguardPeer } from './wireguard-key.ts';

/** How often a user of Shadowsocks may be there. */
const NAMESAKES = 16;

/** Makes one user as wanted. What the engine has is not asked for: it may be what an earlier change left. */
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

  /** Shadowsocks takes a name twice and removes one at a time: until there is none. */
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
    // Newer ones let a user in by each password that they were given, and remove one of them.
    if (inbound.protocol === 'hysteria2') await remove();
    // A peer is known by its key alone: with another key the one before would stay.
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
