// What a user presents on an inbound: the credential of the protocol's family, or one of the user for this inbound alone.
import type { Protocol } from './inbound-shape.ts';
import { hasKeys } from './shadowsocks.ts';

/** A family of protocols that share a credential. */
export type CredentialFamily = 'uuid' | 'password' | 'key' | 'wireguard';

type Families = Readonly<Record<CredentialFamily, string>>;

interface Own {
  readonly inboundId: number;
  readonly value: string;
  readonly flow: string | null;
}

interface Presenter {
  readonly id: number;
  readonly protocol: Protocol;
  readonly method: string | null;
}

/** The family of an inbound's protocol. */
export function credentialFamily({ protocol, method }: Pick<Presenter, 'protocol' | 'method'>): CredentialFamily {
  switch (protocol) {
    case 'vless':
    case 'vmess':
      return 'uuid';
    case 'wireguard':
      return 'wireguard';
    case 'shadowsocks':
      return hasKeys(method) ? 'key' : 'password';
    case 'trojan':
    case 'hysteria2':
      return 'password';
  }
}

/** The credentials of a user as they are on one inbound. */
export function credentialsOn<C extends Families & { readonly byInbound?: readonly Own[] }>(
  inbound: Presenter,
  credentials: C,
): C {
  const own = credentials.byInbound?.find(({ inboundId }) => inboundId === inbound.id);
  return own === undefined ? credentials : { ...credentials, [credentialFamily(inbound)]: own.value };
}

/** The flow of VLESS of a user on an inbound; null: none. */
export function flowOn(
  inbound: { readonly id: number; readonly flow: string | null },
  { byInbound }: { readonly byInbound?: readonly Own[] },
): string | null {
  const flow = byInbound?.find(({ inboundId }) => inboundId === inbound.id)?.flow ?? inbound.flow;
  return flow === '' ? null : flow;
}
