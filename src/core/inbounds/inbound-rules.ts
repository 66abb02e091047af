// Which settings of an inbound are consistent: combinations that no client could connect to are rejected.
import type { FieldError } from '../../contract/errors.ts';
import { canImitate, PATH_NETWORKS, REALITY_NETWORKS, shapeFields } from '../../domain/nodes/inbound-shape.ts';
import { readPool } from '../../domain/nodes/wireguard.ts';
import { fitsMode } from '../../domain/nodes/xhttp.ts';
import { PanelError } from '../kernel/panel-error.ts';
import type { InboundRow } from '../ports/inbounds.ts';

type Facts = Omit<InboundRow, 'id' | 'createdAt' | 'updatedAt' | 'version'>;

/** Input that is stored in no column. */
interface SuppliedMaterial {
  readonly privateKey?: boolean;
  readonly certificate?: boolean;
}
interface Rule {
  readonly field: string;
  readonly message: string;
  readonly isBroken: (inbound: Facts, supplied: SuppliedMaterial) => boolean;
}

/** Whether an inbound has an X25519 key of its own. */
export function hasKeyPair({
  protocol,
  security,
  sharesPortOf,
}: Pick<Facts, 'protocol' | 'security' | 'sharesPortOf'>): boolean {
  return (security === 'reality' && sharesPortOf === null) || protocol === 'wireguard';
}

/** What an inbound cannot have of its own if it shares the port of another, and whether it has it. */
const PORT_MEMBERS: Readonly<Record<string, Rule['isBroken']>> = {
  alpn: ({ alpn }) => alpn !== null,
  certificate: ({ certificate }, supplied) => supplied.certificate ?? certificate?.isOwn ?? false,
  private_key: (_inbound, { privateKey = false }) => privateKey,
  public_key: ({ publicKey }) => publicKey !== null,
  mldsa65_verify: ({ mldsa65Verify }) => mldsa65Verify !== null,
  short_id: ({ shortId }) => shortId !== null,
  more_short_ids: ({ moreShortIds }) => moreShortIds.length > 0,
  more_server_names: ({ moreServerNames }) => moreServerNames.length > 0,
  target: ({ target }) => target !== null,
  min_client_version: ({ minClientVersion }) => minClientVersion !== null,
};

const RULES: readonly Rule[] = [
  {
    field: 'method',
    message: 'is required with shadowsocks',
    isBroken: ({ protocol, method }) => protocol === 'shadowsocks' && method === null,
  },
  {
    field: 'method',
    message: 'goes with shadowsocks only',
    isBroken: ({ protocol, method }) => protocol !== 'shadowsocks' && method !== null,
  },
  {
    field: 'network',
    message: 'must be tcp with shadowsocks',
    isBroken: ({ protocol, network }) => protocol === 'shadowsocks' && network !== 'tcp',
  },
  {
    field: 'security',
    message: 'must be none with shadowsocks, which encrypts by itself',
    isBroken: ({ protocol, security }) => protocol === 'shadowsocks' && security !== 'none',
  },
  {
    field: 'network',
    message: 'must be quic with hysteria2',
    isBroken: ({ protocol, network }) => protocol === 'hysteria2' && network !== 'quic',
  },
  {
    field: 'network',
    message: 'quic goes with hysteria2 only',
    isBroken: ({ protocol, network }) => protocol !== 'hysteria2' && network === 'quic',
  },
  {
    field: 'security',
    message: 'must be tls with hysteria2',
    isBroken: ({ protocol, security }) => protocol === 'hysteria2' && security !== 'tls',
  },
  {
    field: 'alpn',
    message: 'does not go with hysteria2, whose is h3',
    isBroken: ({ protocol, alpn }) => protocol === 'hysteria2' && alpn !== null,
  },
  {
    field: 'fingerprint',
    message: 'does not go with hysteria2: apps imitate no browser over QUIC',
    isBroken: ({ protocol, fingerprint }) => protocol === 'hysteria2' && fingerprint !== null,
  },
  {
    field: 'obfs_password',
    message: 'goes with hysteria2 only',
    isBroken: ({ protocol, obfsPassword }) => protocol !== 'hysteria2' && obfsPassword !== null,
  },
  {
    field: 'hop_ports',
    message: 'goes with hysteria2 only',
    isBroken: ({ protocol, hopPorts }) => protocol !== 'hysteria2' && hopPorts !== null,
  },
  {
    field: 'masquerade',
    message: 'goes with hysteria2 only',
    isBroken: ({ protocol, masquerade }) => protocol !== 'hysteria2' && masquerade !== null,
  },
  {
    field: 'shares_port_of',
    message: 'goes with vless, vmess and trojan over ws, httpupgrade, grpc and xhttp, and tls or reality',
    isBroken: (inbound) => inbound.sharesPortOf !== null && !shapeFields(inbound).has('shares_port_of'),
  },
  ...Object.entries(PORT_MEMBERS).map(
    ([field, isGiven]): Rule => ({
      field,
      message: 'is that of the inbound whose port it shares',
      isBroken: (inbound, supplied) => inbound.sharesPortOf !== null && isGiven(inbound, supplied),
    }),
  ),
  {
    field: 'fallback',
    message: 'goes with vless and trojan over tcp and tls',
    isBroken: (inbound) => inbound.fallback !== null && !shapeFields(inbound).has('fallback'),
  },
  {
    field: 'fallback_proxy_protocol',
    message: 'goes with fallback only',
    isBroken: ({ fallback, fallbackProxyProtocol }) => fallbackProxyProtocol !== null && fallback === null,
  },
  {
    field: 'fragment',
    message: 'goes with tls and reality, not with hysteria2',
    isBroken: (inbound) => inbound.fragment !== null && !shapeFields(inbound).has('fragment'),
  },
  {
    field: 'noise',
    message: 'goes with hysteria2 and wireguard only',
    isBroken: (inbound) => inbound.noise !== null && !shapeFields(inbound).has('noise'),
  },
  {
    field: 'mux',
    message: 'goes with vless, vmess and trojan over tcp, ws and httpupgrade, without a flow',
    isBroken: (inbound) => inbound.mux !== null && (inbound.flow !== null || !shapeFields(inbound).has('mux')),
  },
  {
    field: 'network',
    message: 'must be udp with wireguard',
    isBroken: ({ protocol, network }) => protocol === 'wireguard' && network !== 'udp',
  },
  {
    field: 'network',
    message: 'udp goes with wireguard only',
    isBroken: ({ protocol, network }) => protocol !== 'wireguard' && network === 'udp',
  },
  {
    field: 'security',
    message: 'must be none with wireguard, which encrypts by itself',
    isBroken: ({ protocol, security }) => protocol === 'wireguard' && security !== 'none',
  },
  {
    field: 'sni',
    message: 'does not go with wireguard',
    isBroken: ({ protocol, sni }) => protocol === 'wireguard' && sni !== null,
  },
  {
    field: 'fingerprint',
    message: 'does not go with wireguard',
    isBroken: ({ protocol, fingerprint }) => protocol === 'wireguard' && fingerprint !== null,
  },
  {
    field: 'public_key',
    message: 'is required with wireguard',
    isBroken: ({ protocol, publicKey }) => protocol === 'wireguard' && publicKey === null,
  },
  {
    field: 'address_pool',
    message: 'is required with wireguard',
    isBroken: ({ protocol, addressPool }) => protocol === 'wireguard' && addressPool === null,
  },
  {
    field: 'address_pool',
    message: 'must be a private network of /8 to /24 by its first address, as in 10.64.0.0/10',
    isBroken: ({ protocol, addressPool }) =>
      protocol === 'wireguard' && addressPool !== null && readPool(addressPool) === null,
  },
  {
    field: 'address_pool',
    message: 'goes with wireguard only',
    isBroken: ({ protocol, addressPool }) => protocol !== 'wireguard' && addressPool !== null,
  },
  {
    field: 'mtu',
    message: 'goes with wireguard only',
    isBroken: ({ protocol, mtu }) => protocol !== 'wireguard' && mtu !== null,
  },
  {
    field: 'security',
    message: 'must be tls or reality with trojan',
    isBroken: ({ protocol, security }) => protocol === 'trojan' && security === 'none',
  },
  {
    field: 'security',
    message: 'reality goes with vless and trojan over tcp, grpc or xhttp',
    isBroken: ({ protocol, network, security }) =>
      security === 'reality' &&
      protocol !== 'hysteria2' &&
      protocol !== 'wireguard' &&
      (protocol === 'vmess' || !REALITY_NETWORKS.includes(network)),
  },
  {
    field: 'public_key',
    message: 'is required with reality',
    isBroken: ({ security, publicKey, sharesPortOf }) =>
      security === 'reality' && sharesPortOf === null && publicKey === null,
  },
  {
    field: 'sni',
    message: 'is required with reality',
    isBroken: ({ security, sni, sharesPortOf }) => security === 'reality' && sharesPortOf === null && sni === null,
  },
  {
    field: 'fingerprint',
    message: 'android does not go with reality, which needs TLS 1.3: choose another, such as chrome',
    isBroken: ({ security, fingerprint }) => fingerprint !== null && !canImitate(security, fingerprint),
  },
  {
    field: 'public_key',
    message: 'goes with reality and wireguard only',
    isBroken: (inbound) => !hasKeyPair({ ...inbound, sharesPortOf: null }) && inbound.publicKey !== null,
  },
  {
    field: 'private_key',
    message: 'goes with reality and wireguard only',
    isBroken: (inbound, { privateKey = false }) => !hasKeyPair({ ...inbound, sharesPortOf: null }) && privateKey,
  },
  {
    field: 'encryption',
    message: 'goes with vless only',
    isBroken: ({ protocol, encryption }) => protocol !== 'vless' && encryption !== null,
  },
  {
    field: 'encryption',
    message: 'does not go with fallback, which Xray refuses with it',
    isBroken: ({ encryption, fallback }) => encryption !== null && fallback !== null,
  },
  {
    field: 'mldsa65_verify',
    message: 'goes with reality only',
    isBroken: ({ security, mldsa65Verify }) => security !== 'reality' && mldsa65Verify !== null,
  },
  {
    field: 'short_id',
    message: 'goes with reality only',
    isBroken: ({ security, shortId }) => security !== 'reality' && shortId !== null,
  },
  {
    field: 'more_short_ids',
    message: 'goes with reality only',
    isBroken: ({ security, moreShortIds }) => security !== 'reality' && moreShortIds.length > 0,
  },
  {
    field: 'more_server_names',
    message: 'goes with reality only',
    isBroken: ({ security, moreServerNames }) => security !== 'reality' && moreServerNames.length > 0,
  },
  {
    field: 'target',
    message: 'goes with reality only',
    isBroken: ({ security, target }) => security !== 'reality' && target !== null,
  },
  {
    field: 'min_client_version',
    message: 'goes with reality only',
    isBroken: ({ security, minClientVersion }) => security !== 'reality' && minClientVersion !== null,
  },
  {
    field: 'certificate',
    message: 'goes with tls only',
    isBroken: ({ security, certificate }, supplied) =>
      security !== 'tls' && (supplied.certificate ?? certificate?.isOwn ?? false),
  },
  {
    field: 'flow',
    message: 'goes with vless over tcp and tls or reality',
    isBroken: ({ protocol, network, security, flow }) =>
      flow !== null && (protocol !== 'vless' || network !== 'tcp' || security === 'none'),
  },
  {
    field: 'path',
    message: 'goes with ws, httpupgrade and xhttp only',
    isBroken: ({ network, path }) => path !== null && !PATH_NETWORKS.includes(network),
  },
  {
    field: 'proxy_header',
    message: 'goes with ws, httpupgrade and xhttp only',
    isBroken: ({ network, proxyHeader }) => proxyHeader !== null && !PATH_NETWORKS.includes(network),
  },
  {
    field: 'xhttp_mode',
    message: 'goes with xhttp only',
    isBroken: ({ network, xhttpMode }) => network !== 'xhttp' && xhttpMode !== null,
  },
  {
    field: 'xhttp_extra',
    message: 'goes with xhttp only',
    isBroken: ({ network, xhttpExtra }) => network !== 'xhttp' && xhttpExtra !== null,
  },
  {
    field: 'xhttp_mode',
    message: 'must be packet-up with data in headers or cookies, and with GET',
    isBroken: ({ network, xhttpMode, xhttpExtra }) =>
      network === 'xhttp' && xhttpExtra !== null && !fitsMode(xhttpExtra, xhttpMode),
  },
  {
    field: 'service_name',
    message: 'goes with grpc only',
    isBroken: ({ network, serviceName }) => serviceName !== null && network !== 'grpc',
  },
  {
    field: 'alpn',
    message: 'goes with tls only',
    isBroken: ({ security, alpn }) => alpn !== null && security !== 'tls',
  },
];

/** Rejects with `validation`, naming every inconsistent member. */
export function requireConsistent(inbound: Facts, supplied: SuppliedMaterial = {}): void {
  const errors: FieldError[] = RULES.filter((rule) => rule.isBroken(inbound, supplied)).map(({ field, message }) => ({
    pointer: `#/${field}`,
    code: 'inconsistent',
    message,
  }));
  if (errors.length > 0) throw new PanelError('validation', errors);
}
