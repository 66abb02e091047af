// Inbounds on the wire. A Read key sees their names, but no addresses.
import { z } from 'zod';
import { ABOUT_HOSTS, defineHosts } from './hosts.ts';
import { apiOperation, hasMember, panelOperation } from './operation.ts';
import * as s from './scalars.ts';
import { VLESS_APPEARANCES, VLESS_AUTHENTICATIONS, vlessDecryption, vlessEncryption } from './vless-encryption.ts';
import { XHTTP_MODES, xhttpExtra } from './xhttp.ts';

export const PROTOCOLS = ['vless', 'vmess', 'trojan', 'shadowsocks', 'hysteria2', 'wireguard'] as const;
export const NETWORKS = ['tcp', 'ws', 'grpc', 'httpupgrade', 'xhttp', 'quic', 'udp'] as const;
export const SECURITIES = ['none', 'tls', 'reality'] as const;
export const METHODS = [
  'aes-128-gcm',
  'aes-256-gcm',
  'chacha20-ietf-poly1305',
  'xchacha20-ietf-poly1305',
  '2022-blake3-aes-128-gcm',
  '2022-blake3-aes-256-gcm',
] as const;
export const FINGERPRINTS = ['chrome', 'firefox', 'safari', 'ios', 'android', 'edge', 'random', 'randomized'] as const;

/** What the target of REALITY lacked when the panel last tested it. */
export const TARGET_FINDINGS = [
  'target_unreachable',
  'target_no_tls13',
  'target_no_h2',
  'target_other_name',
  'target_short_chain',
] as const;
/** What its engine reported when it was last started or tested. */
export const ENGINE_WARNINGS = ['port_taken', 'refused'] as const;
export const INBOUND_WARNINGS = [
  'not_served',
  ...ENGINE_WARNINGS,
  'unencrypted',
  ...TARGET_FINDINGS,
  'target_risky_name',
  'target_port',
  'min_client_version',
  'certificate_ended',
  'certificate_ends_soon',
  'certificate_not_pinned',
  'address_pool_small',
  'wireguard_by_name',
  'no_xray',
  'no_sing_box',
  'no_mihomo',
  'client_varies',
] as const;

// The characters of a path in RFC 3986. Clients differ in percent-encoding others, and in reading a path that begins like a host.
const PATH = /^\/(?:[A-Za-z0-9._~!$&'()*+,;=:@-][A-Za-z0-9._~!$&'()*+,;=:@/-]*)?(?:\?ed=\d{1,6})?$/;
const path = z.string().max(256).regex(PATH, {
  message:
    "must begin with one slash and have letters, digits, / and -._~!$&'()*+,;=:@ only; at its end ?ed= and a number may follow",
});

// Other characters are percent-encoded by some clients and not by others.
const serviceName = z
  .string()
  .max(128)
  .regex(/^[A-Za-z0-9._~$&+:=@-]+$/, { message: 'must have letters, digits and -._~$&+:=@ only' });

/** A token of RFC 9110. */
const headerName = z
  .string()
  .max(64)
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, { message: 'must be the name of an HTTP header' });

const shortId = z.string().regex(/^(?:[0-9a-f]{2}){0,8}$/);
/** Other short ids, or other server names, of REALITY. */
const MAX_MORE = 100;

/** An X25519 key: 32 bytes in base64url. */
const x25519Key = z.string().regex(/^[A-Za-z0-9_-]{43}$/);
const mldsa65Seed = z.string().regex(/^[A-Za-z0-9_-]{43}$/);
/** 1,952 bytes. */
const mldsa65Key = z
  .string()
  .length(2603)
  .regex(/^[A-Za-z0-9_-]+$/);

/** Ports and ranges of ports, separated by commas. */
const PORT_RANGES = /^\d{1,5}(?:-\d{1,5})?(?:,\d{1,5}(?:-\d{1,5})?)*$/;
const isPortRange = (text: string) => {
  const [from = 0, to = from] = text.split('-').map(Number);
  return from >= 1 && from <= to && to <= 65_535;
};
const hopPorts = z
  .string()
  .max(100)
  .regex(PORT_RANGES)
  .refine((text) => !PORT_RANGES.test(text) || text.split(',').every(isPortRange), {
    message: 'must have ports from 1 to 65535, and ranges from the lower to the higher',
  });

const RANGE = String.raw`(?:\d{1,3}|\d{1,3}-\d{1,3})`;
/** Lists of numbers and ranges, each from the lower to the higher number. */
const isAscending = (text: string) =>
  text.split(',').every((range) => {
    const [from = 0, to = from] = range.split('-').map(Number);
    return !(from > to);
  });
const ASCENDING = { message: 'must have ranges from the lower to the higher' };
const fragment = z
  .string()
  .max(40)
  .regex(new RegExp(`^(?:tlshello|[1-9]-[1-9]),[1-9]\\d{0,2}(?:-\\d{1,3})?,${RANGE}$`))
  .refine(isAscending, ASCENDING);
const noise = z
  .string()
  .max(40)
  .regex(new RegExp(`^[1-9],[1-9]\\d{0,2}(?:-\\d{1,3})?,${RANGE}$`))
  .refine(isAscending, ASCENDING);
const MAX_MUX = 1024;

/** Descriptions that requests and replies share; replies have no bounds. */
const ABOUT = {
  tag: "The engine's name for it, unique on its node.",
  name: 'The name that the user sees in the app.',
  host: "The address users connect to; null: the node's.",
  port: 'The port on which the node listens, unique on it for TCP and for UDP: `hysteria2` and `wireguard` use UDP, `shadowsocks` both, all others TCP.',
  sni: 'The server name of the TLS handshake; null: the address users connect to. `reality` needs one.',
  path: 'The path of the HTTP request, with `ws`, `httpupgrade` and `xhttp`; null: `/`. `?ed=` and a number at its end makes clients of `ws` send that many bytes with the handshake.',
  proxy_header:
    'With `ws`, `httpupgrade` and `xhttp`, behind a proxy or CDN: the name of a header that is in each of its requests, such as `X-Forwarded-For` or `CF-Connecting-IP`. With it, of any value, Xray takes the first address of `X-Forwarded-For` for that of the client. null: not behind a proxy, so that no client chooses the address by which it is counted.',
  xhttp_mode:
    'With `xhttp`: how data travels up: in many requests (`packet-up`), in one (`stream-up`), or both ways in one (`stream-one`). null: `auto`, the app chooses, and the node takes all.',
  xhttp_extra:
    'With `xhttp`: its `extra`, by the names of Xray: padding, obfuscation, limits, and how apps share connections (`xmux`). Without `downloadSettings`. Apps get what is for them. A `PATCH` replaces it as a whole. null: none.',
  service_name: 'The service name of `grpc`; null: `GunService`.',
  flow: 'With `vless` over `tcp` and `tls` or `reality`: the flow control of VLESS; null: none.',
  fingerprint:
    'The TLS fingerprint that the client imitates; null: chosen by the client, `chrome` with `reality`. Not with `hysteria2`; `android` not with `reality`, which needs TLS 1.3.',
  alpn: 'The protocols offered in the TLS handshake (ALPN), best first; null: chosen by the client. Not with `hysteria2`, which uses `h3`.',
  public_key: 'With `reality` and `wireguard`: the X25519 public key of the node, 32 bytes in base64url.',
  encryption:
    'With `vless`: the half of its encryption (`mlkem768x25519plus`) that apps have, as `xray vlessenc` prints it; null: none. Not with `fallback`, and not on an inbound whose port others share. Apps on sing-box do not have it.',
  mldsa65_verify:
    'With `reality`: the ML-DSA-65 key by which apps on Xray verify the node, also against quantum computers: 1,952 bytes in base64url; null: none. The chain of certificates of the target must have at least 3,500 bytes.',
  short_id: 'With `reality`: the short id, up to 8 bytes in hexadecimal, by which the node recognizes its clients.',
  more_short_ids:
    'With `reality`: other short ids that the node accepts, as from apps set up before `short_id` was changed. Links contain `short_id` alone.',
  more_server_names:
    'With `reality`: other server names that the node accepts besides `sni`. Links contain `sni` alone.',
  method: 'With `shadowsocks`: the cipher. Those of 2022 also have a key of the server, which the panel generates.',
  obfs_password:
    'With `hysteria2`: the password of the Salamander obfuscation, which makes QUIC look like random bytes. It is in the links of all users of the inbound; null: no obfuscation.',
  hop_ports:
    'With `hysteria2`: the UDP ports between which apps hop, as in `20000-30000` or `443,20000-20100`. The node must redirect them to `port`: the engine listens on `port` alone. null: apps use `port`.',
  masquerade:
    'With `hysteria2`: the address of a site, as in `https://www.example.org` or `http://127.0.0.1:8080`, which the node fetches and shows to everyone who connects over HTTP/3 without being a user. null: 404 for every page.',
  fragment:
    'With `tls` and `reality`, not with `hysteria2`: how apps split the start of a connection, so that filters do not read the server name: which packets (`tlshello`, or by number, as `1-3`), bytes of a part and milliseconds between two, as in `tlshello,100-200,10-20`. Apps have it by the format `xray`, by `sing-box` if it is for `tlshello`, which has sizes of its own, and by links of `vless` and `trojan` (`fm`). null: not split.',
  noise:
    'With `hysteria2` and `wireguard`: packets of random bytes that apps send first: how many, bytes of each and milliseconds after each, as in `3,50-100,10-20`. Apps have it by the format `xray`. null: none.',
  mux: 'With `vless`, `vmess` and `trojan` over `tcp`, `ws` and `httpupgrade`, without `flow`: how many streams apps send through one connection (Mux.Cool). Apps have it by the format `xray`: the multiplexing of sing-box and mihomo is another protocol, which Xray does not serve. null: each stream has a connection.',
  shares_port_of:
    'With `vless`, `vmess` and `trojan` over `ws`, `httpupgrade`, `grpc` and `xhttp`, and `tls` or `reality`: the id of an inbound of the same node with `vless` or `trojan` over `tcp`, through whose port and TLS it is reached. `port` and `security` must be the same, and follow it; `sni`, `fingerprint` and `host` are those of that inbound where they are null. Several can share a port: each over `ws` or `httpupgrade` has a `path` of its own, and one at most is over `grpc` or `xhttp`; with `reality` only one can. null: it has a port of its own.',
  fallback:
    'With `vless` and `trojan` over `tcp` and `tls`: host and port of a web server, as in `127.0.0.1:8080`, to which the node passes on everyone who is not a user, without TLS. It gets HTTP/1.1, and HTTP/2 too if `alpn` names `h2`. null: such a connection is closed.',
  fallback_proxy_protocol:
    'With `fallback`: the version of the PROXY protocol by which the web server gets the address of the visitor; null: not at all.',
  address_pool:
    'With `wireguard`: the private IPv4 network (/8 to /24) from which each user gets an address inside the tunnel: the one at the position of the user id plus one. A user whose id is too large for the network cannot use the inbound. null only with other protocols.',
  mtu: 'With `wireguard`: the MTU of the tunnel in bytes; null: 1420.',
  target:
    'With `reality`: host and port of the site that the node imitates, as in `www.example.org:443`; null: port 443 of `sni`.',
  min_client_version: 'With `reality`: the minimum core version of apps; null: any.',
  certificate:
    'With `tls`: your own certificate in PEM, leaf first, then the chain; null: the panel creates a self-signed one for `sni` and renews it before it expires.',
} as const;

const GROUP =
  'The group of the inbound: inbounds with the same definition, each on another node. null: no group. Changing one of a group changes all of them, except `name`, `host`, `hosts`, `host_order`, `note` and `enabled`.';

const NOTE = 'A remark for the operators of the panel.';

const flow = z.enum(['xtls-rprx-vision']).meta({ id: 'Flow', description: 'The flow control of VLESS.' });
const fingerprint = z
  .enum(FINGERPRINTS)
  .meta({ id: 'Fingerprint', description: 'The program whose TLS fingerprint is imitated.' });
const alpnProtocol = z
  .enum(['h2', 'http/1.1', 'h3'])
  .meta({ id: 'AlpnProtocol', description: 'A protocol over TLS, by its registered name (RFC 7301).' });
const VERSION = /^\d{1,3}\.\d{1,3}\.\d{1,3}$/;
/** REALITY stores each part in a byte. */
const clientVersion = z
  .string()
  .max(11)
  .regex(VERSION)
  .refine((version) => !VERSION.test(version) || version.split('.').every((part) => Number(part) <= 255), {
    message: 'must have parts of at most 255',
  });

/** The host and port of a target; null if it has another form. */
function parseTarget(target: string): { readonly host: string; readonly port: number } | null {
  const [, literal, name, port] = /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d{1,5})$/.exec(target) ?? [];
  if (port === undefined || (literal !== undefined && !literal.includes(':'))) return null;
  return { host: literal ?? name ?? '', port: Number(port) };
}

function isTarget(text: string): boolean {
  const parts = parseTarget(text);
  return parts !== null && parts.port >= 1 && parts.port <= 65_535 && s.hostName.safeParse(parts.host).success;
}

const target = z
  .string()
  .max(261)
  .regex(/^.+:\d{1,5}$/)
  .refine(isTarget, { message: 'must be a host name or an address (IPv6 in brackets) with a port' });

/** A site by its address, without user, query and fragment. */
const SITE = /^https?:\/\/(\[[0-9a-fA-F:.]+\]|[^/?#@:[\]\s]+)(:\d{1,5})?(?:\/[A-Za-z0-9._~!$&'()*+,;=:@/-]*)?$/;
const masquerade = z
  .string()
  .max(256)
  .regex(SITE)
  .refine(
    (text) => {
      const [, host = '', port = ':443'] = SITE.exec(text) ?? [];
      return !SITE.test(text) || isTarget(host + port);
    },
    { message: 'must begin with http:// or https://, then a host name or an address (IPv6 in brackets)' },
  );

/** The minimum of IPv6, and the maximum of Ethernet. */
const MIN_MTU = 1280;
const MAX_MTU = 1500;

const addressPool = z
  .string()
  .max(18)
  .regex(/^\d{1,3}(\.\d{1,3}){3}\/(?:[89]|1\d|2[0-4])$/);

const warning = z.enum(INBOUND_WARNINGS).meta({
  id: 'InboundWarning',
  description:
    'A possible reason why users cannot connect. `not_served`: the engine of the node lacks a feature that it needs. `port_taken`: another program uses its port, so it is not served. `refused`: the engine refuses it for another reason, given in `error` of the node; it is not served, or served as before the change. `unencrypted`: VLESS without TLS and without encryption to a public address, which Xray refuses since 26.7.11, so it is omitted from the format `xray`. About the target of REALITY when the panel last tested it: `target_unreachable`: it did not answer; `target_no_tls13`: no TLS 1.3; `target_no_h2`: no HTTP/2; `target_other_name`: its certificate is not for `sni`; `target_short_chain`: with `mldsa65_verify`, its chain of certificates has fewer than 3,500 bytes. `target_risky_name`: Xray warns about this target (.ru, .ir, .cn, apple, icloud, microsoft). `target_port`: the port of the target is not 443. `min_client_version`: newer than 1.8.1, so sing-box and mihomo are refused. `certificate_ended`, `certificate_ends_soon`: within 14 days. `certificate_not_pinned`: self-signed, with VMess, whose links cannot carry its SHA-256. `address_pool_small`: the ids of some users are too large for the address pool, so they cannot use the inbound. `wireguard_by_name`: WireGuard at a host name, omitted from the format `sing-box` for versions before 1.14, which do not start if the name cannot be resolved. By measurements with the engine version of the node: `no_xray`, `no_sing_box`, `no_mihomo`: apps built on that program move no bytes over it, so it is omitted from its format; `client_varies`: with its fingerprint some apps, or some starts of one, fail.',
});

const pem = (max: number) => z.string().max(max);

const xhttpMode = z.enum(XHTTP_MODES).meta({ id: 'XhttpMode', description: 'How XHTTP sends data to the node.' });
const extra = xhttpExtra.meta({ id: 'XhttpExtra', description: 'The `extra` of XHTTP, by the names of Xray.' });

const method = z.enum(METHODS).meta({ id: 'ShadowsocksMethod', description: 'A cipher of Shadowsocks.' });

const port = z.int().min(1).max(65535);
const alpn = z.array(alpnProtocol).max(3);
const { host: inboundHost, hosts, order: hostOrder } = defineHosts({ port, path, alpn, fingerprint });

const fields = {
  node_id: s.id.meta({ description: 'The id of its node.' }),
  tag: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/)
    .meta({ description: ABOUT.tag }),
  name: s.name.meta({ description: ABOUT.name }),
  protocol: z.enum(PROTOCOLS).meta({ id: 'Protocol', description: 'The proxy protocol.' }),
  network: z.enum(NETWORKS).meta({
    id: 'Network',
    description:
      'The transport of the protocol. `quic`: over UDP, with `hysteria2` only. `udp`: plain UDP, with `wireguard` only.',
  }),
  security: z.enum(SECURITIES).meta({
    id: 'Security',
    description:
      '`none`: no TLS. `tls`: TLS with a certificate of the node. `reality`: TLS that imitates another site.',
  }),
  host: s.hostName.nullable().meta({ description: ABOUT.host }),
  port: port.meta({ description: ABOUT.port }),
  sni: s.hostName.nullable().meta({ description: ABOUT.sni }),
  path: path.nullable().meta({ description: ABOUT.path }),
  proxy_header: headerName.nullable().meta({ description: ABOUT.proxy_header }),
  xhttp_mode: xhttpMode.nullable().meta({ description: ABOUT.xhttp_mode }),
  xhttp_extra: extra.nullable().meta({ description: ABOUT.xhttp_extra }),
  service_name: serviceName.nullable().meta({ description: ABOUT.service_name }),
  flow: flow.nullable().meta({ description: ABOUT.flow }),
  fingerprint: fingerprint.nullable().meta({ description: ABOUT.fingerprint }),
  alpn: alpn.nullable().meta({ description: ABOUT.alpn }),
  public_key: x25519Key.nullable().meta({ description: ABOUT.public_key }),
  private_key: x25519Key.nullable().meta({
    description:
      'With `reality` and `wireguard`: stored encrypted and never returned. `public_key` is computed from it if absent. With `wireguard` the panel generates one if it is absent.',
  }),
  decryption: vlessDecryption.nullable().meta({
    description:
      'With `vless`: the half of its encryption that the node has. Stored encrypted and never returned. `encryption` is computed from it if absent; null removes both.',
  }),
  encryption: vlessEncryption.nullable().meta({ description: ABOUT.encryption }),
  mldsa65_seed: mldsa65Seed.nullable().meta({
    description:
      'With `reality`: the seed of the ML-DSA-65 key, 32 bytes in base64url. Stored encrypted and never returned. `mldsa65_verify` is computed from it if absent; null removes both.',
  }),
  mldsa65_verify: mldsa65Key.nullable().meta({ description: ABOUT.mldsa65_verify }),
  short_id: shortId.nullable().meta({ description: ABOUT.short_id }),
  more_short_ids: z.array(shortId).max(MAX_MORE).meta({ description: ABOUT.more_short_ids }),
  more_server_names: z.array(s.hostName).max(MAX_MORE).meta({ description: ABOUT.more_server_names }),
  method: method.nullable().meta({ description: ABOUT.method }),
  server_key: z.base64().max(44).nullable().meta({
    description:
      'With a cipher of 2022: the key of the server in base64, 16 bytes with `2022-blake3-aes-128-gcm`, else 32. Stored encrypted and never returned as such. null: the panel generates one.',
  }),
  obfs_password: z
    .string()
    .min(4)
    .max(128)
    .regex(/^[\x21-\x7e]+$/)
    .nullable()
    .meta({ description: ABOUT.obfs_password }),
  hop_ports: hopPorts.nullable().meta({ description: ABOUT.hop_ports }),
  masquerade: masquerade.nullable().meta({ description: ABOUT.masquerade }),
  fragment: fragment.nullable().meta({ description: ABOUT.fragment }),
  noise: noise.nullable().meta({ description: ABOUT.noise }),
  mux: z.int().min(1).max(MAX_MUX).nullable().meta({ description: ABOUT.mux }),
  shares_port_of: s.id.nullable().meta({ description: ABOUT.shares_port_of }),
  fallback: target.nullable().meta({ description: ABOUT.fallback }),
  fallback_proxy_protocol: z.int().min(1).max(2).nullable().meta({ description: ABOUT.fallback_proxy_protocol }),
  address_pool: addressPool.nullable().meta({ description: ABOUT.address_pool }),
  mtu: z.int().min(MIN_MTU).max(MAX_MTU).nullable().meta({ description: ABOUT.mtu }),
  target: target.nullable().meta({ description: ABOUT.target }),
  min_client_version: clientVersion.nullable().meta({ description: ABOUT.min_client_version }),
  certificate: pem(100_000).nullable().meta({ description: ABOUT.certificate }),
  certificate_key: pem(20_000).nullable().meta({
    description:
      'The private key of a new `certificate` in PEM, not encrypted; required with one. Stored encrypted and never returned.',
  }),
  hosts: hosts.meta({ description: ABOUT_HOSTS.hosts }),
  host_order: hostOrder,
  note: s.note.meta({ description: NOTE }),
  enabled: z.boolean().meta({ description: 'false: the node does not serve it, and no subscription contains it.' }),
};

const nodeIds = z
  .array(s.id)
  .max(500)
  .refine((ids) => new Set(ids).size === ids.length, { message: 'must not repeat an id' });

const SECRET = 'Absent for a key with Read access.';
function secret<T extends z.ZodType>(schema: T, description: string) {
  return schema.optional().meta({ description: `${description} ${SECRET}` });
}

export const inbound = z
  .object({
    id: s.defineId('connection'),
    node_id: fields.node_id,
    group_id: secret(s.id.nullable(), GROUP),
    tag: z.string().meta({ description: ABOUT.tag }),
    name: z.string().meta({ description: ABOUT.name }),
    protocol: fields.protocol,
    network: fields.network,
    security: fields.security,
    host: secret(z.string().nullable(), ABOUT.host),
    port: secret(fields.port, ABOUT.port),
    sni: secret(z.string().nullable(), ABOUT.sni),
    path: secret(z.string().nullable(), ABOUT.path),
    proxy_header: secret(z.string().nullable(), ABOUT.proxy_header),
    xhttp_mode: secret(xhttpMode.nullable(), ABOUT.xhttp_mode),
    xhttp_extra: secret(extra.nullable(), ABOUT.xhttp_extra),
    service_name: secret(z.string().nullable(), ABOUT.service_name),
    flow: secret(z.string().nullable(), ABOUT.flow),
    fingerprint: secret(z.string().nullable(), ABOUT.fingerprint),
    alpn: secret(z.array(z.string()).nullable(), ABOUT.alpn),
    public_key: secret(z.string().nullable(), ABOUT.public_key),
    has_private_key: secret(z.boolean(), 'Whether a private key is stored, which no reply contains.'),
    encryption: secret(z.string().nullable(), ABOUT.encryption),
    mldsa65_verify: secret(z.string().nullable(), ABOUT.mldsa65_verify),
    short_id: secret(z.string().nullable(), ABOUT.short_id),
    more_short_ids: secret(z.array(z.string()), ABOUT.more_short_ids),
    more_server_names: secret(z.array(z.string()), ABOUT.more_server_names),
    method: secret(z.string().nullable(), ABOUT.method),
    obfs_password: secret(z.string().nullable(), ABOUT.obfs_password),
    hop_ports: secret(z.string().nullable(), ABOUT.hop_ports),
    masquerade: secret(z.string().nullable(), ABOUT.masquerade),
    fragment: secret(z.string().nullable(), ABOUT.fragment),
    noise: secret(z.string().nullable(), ABOUT.noise),
    mux: secret(z.int().nullable(), ABOUT.mux),
    shares_port_of: secret(z.int().nullable(), ABOUT.shares_port_of),
    fallback: secret(z.string().nullable(), ABOUT.fallback),
    fallback_proxy_protocol: secret(z.int().nullable(), ABOUT.fallback_proxy_protocol),
    address_pool: secret(z.string().nullable(), ABOUT.address_pool),
    mtu: secret(z.int().nullable(), ABOUT.mtu),
    target: secret(z.string().nullable(), ABOUT.target),
    min_client_version: secret(z.string().nullable(), ABOUT.min_client_version),
    certificate: secret(z.string().nullable(), ABOUT.certificate),
    certificate_sha256: secret(
      z.string().nullable(),
      'The SHA-256 of the current certificate, in lower-case hexadecimal; null: none.',
    ),
    certificate_ends_at: secret(s.instant.nullable(), 'When that certificate expires.'),
    certificate_self_signed: secret(
      z.boolean().nullable(),
      'Whether it is self-signed, so that apps need its SHA-256 to trust it.',
    ),
    hosts: secret(z.array(inboundHost), ABOUT_HOSTS.hosts),
    host_order: secret(hostOrder, ABOUT_HOSTS.host_order),
    note: secret(z.string(), NOTE),
    warnings: secret(z.array(warning), 'Possible reasons why users cannot connect; empty: none is known.'),
    enabled: fields.enabled,
    status: s.status.meta({ description: 'Whether its node serves it now.' }),
    created_at: secret(s.instant, 'When the record was created.'),
    updated_at: secret(s.instant, 'When the record was last changed by a request.'),
  })
  .meta({ id: 'Inbound', description: 'An inbound: the settings by which users connect to a node.' });
export type Inbound = z.output<typeof inbound>;
export type InboundWarning = (typeof INBOUND_WARNINGS)[number];
export type TargetFinding = (typeof TARGET_FINDINGS)[number];

/** The only fields of an inbound that a Read key sees. */
export const INBOUND_READ_FIELDS = [
  'id',
  'node_id',
  'tag',
  'name',
  'protocol',
  'network',
  'security',
  'enabled',
  'status',
] as const satisfies readonly (keyof Inbound)[];

export const inboundCreate = z
  .strictObject({
    node_id: fields.node_id,
    more_node_ids: nodeIds.default([]).meta({
      description: 'Further nodes that get the same inbound, in one group: see `PUT /inbounds/{id}/nodes`.',
    }),
    tag: fields.tag,
    name: fields.name,
    protocol: fields.protocol,
    network: fields.network.optional().meta({
      description:
        'The transport of the protocol. Absent: `quic` with `hysteria2`, `udp` with `wireguard`, else `tcp`.',
    }),
    security: fields.security.optional().meta({
      description: 'The encryption. Absent: `tls` with `hysteria2`, else `none`, which `trojan` does not allow.',
    }),
    host: fields.host.default(null),
    port: fields.port,
    sni: fields.sni.default(null),
    path: fields.path.default(null),
    proxy_header: fields.proxy_header.default(null),
    xhttp_mode: fields.xhttp_mode.default(null),
    xhttp_extra: fields.xhttp_extra.default(null),
    service_name: fields.service_name.default(null),
    flow: fields.flow.default(null),
    fingerprint: fields.fingerprint.default(null),
    alpn: fields.alpn.default(null),
    public_key: fields.public_key.default(null),
    private_key: fields.private_key.default(null),
    decryption: fields.decryption.default(null),
    encryption: fields.encryption.default(null),
    mldsa65_seed: fields.mldsa65_seed.default(null),
    mldsa65_verify: fields.mldsa65_verify.default(null),
    short_id: fields.short_id.default(null),
    more_short_ids: fields.more_short_ids.default([]),
    more_server_names: fields.more_server_names.default([]),
    method: fields.method.default(null),
    server_key: fields.server_key.default(null),
    obfs_password: fields.obfs_password.default(null),
    hop_ports: fields.hop_ports.default(null),
    masquerade: fields.masquerade.default(null),
    fragment: fields.fragment.default(null),
    noise: fields.noise.default(null),
    mux: fields.mux.default(null),
    shares_port_of: fields.shares_port_of.default(null),
    fallback: fields.fallback.default(null),
    fallback_proxy_protocol: fields.fallback_proxy_protocol.default(null),
    address_pool: fields.address_pool
      .default(null)
      .meta({ description: `${ABOUT.address_pool} Absent with \`wireguard\`: \`10.64.0.0/10\`.` }),
    mtu: fields.mtu.default(null),
    target: fields.target.default(null),
    min_client_version: fields.min_client_version.default(null),
    certificate: fields.certificate.default(null),
    certificate_key: fields.certificate_key.default(null),
    hosts: fields.hosts.default([]),
    host_order: fields.host_order.default('listed'),
    note: fields.note.default(''),
    enabled: fields.enabled.default(true),
  })
  .meta({ id: 'InboundCreate', description: 'A new inbound.' });
export type InboundCreate = z.output<typeof inboundCreate>;

export const inboundPatch = z
  .strictObject(fields)
  .omit({ node_id: true, protocol: true, server_key: true })
  .partial()
  .meta({
    id: 'InboundPatch',
    description: 'JSON merge patch. Node and protocol cannot be changed: create another inbound instead.',
  });

export const inboundExample: Inbound = {
  id: 1,
  node_id: 1,
  group_id: null,
  tag: 'vless-reality',
  name: 'Germany 1',
  protocol: 'vless',
  network: 'tcp',
  security: 'reality',
  host: 'de1.example.com',
  port: 443,
  sni: 'www.example.org',
  path: null,
  proxy_header: null,
  xhttp_mode: null,
  xhttp_extra: null,
  service_name: null,
  flow: 'xtls-rprx-vision',
  fingerprint: 'chrome',
  alpn: null,
  public_key: 'KhJyt0Jafc8s8FA3ByDTPPHrW5qecFf1jDVzL4rpox8',
  has_private_key: true,
  encryption: null,
  mldsa65_verify: null,
  short_id: '6ba85179e30d4fc2',
  more_short_ids: [],
  more_server_names: [],
  method: null,
  obfs_password: null,
  hop_ports: null,
  masquerade: null,
  fragment: null,
  noise: null,
  mux: null,
  shares_port_of: null,
  fallback: null,
  fallback_proxy_protocol: null,
  address_pool: null,
  mtu: null,
  target: null,
  min_client_version: null,
  certificate: null,
  certificate_sha256: null,
  certificate_ends_at: null,
  certificate_self_signed: null,
  hosts: [],
  host_order: 'listed',
  note: '',
  warnings: ['no_sing_box'],
  enabled: true,
  status: 'up',
  created_at: '2026-11-20T09:00:00.000Z',
  updated_at: '2026-11-20T09:00:00.000Z',
};

const none = z.strictObject({});
const byId = s.defineIdParams('connection');

export const listInbounds = apiOperation({
  id: 'listInbounds',
  method: 'GET',
  path: '/inbounds',
  access: 'read',
  tag: 'Inbounds',
  summary: 'List inbounds',
  params: none,
  query: z.strictObject({
    node_id: s.id.optional().meta({ description: 'Inbounds of this node.' }),
    ...s.paging,
  }),
  body: null,
  status: 200,
  output: s.defineList(inbound, 'InboundList'),
  headers: ['Link'],
  example: { reply: { items: [inboundExample], total: 1, limit: 100, offset: 0, next_cursor: null } },
});

export const getInbound = apiOperation({
  id: 'getInbound',
  method: 'GET',
  path: '/inbounds/{id}',
  access: 'read',
  tag: 'Inbounds',
  summary: 'Read an inbound',
  params: byId,
  query: none,
  body: null,
  status: 200,
  output: inbound,
  headers: ['ETag'],
  errors: ['not_found'],
  example: { params: { id: 1 }, reply: inboundExample },
});

export const createInbound = apiOperation({
  id: 'createInbound',
  method: 'POST',
  path: '/inbounds',
  access: 'full',
  tag: 'Inbounds',
  summary: 'Create an inbound',
  params: none,
  query: none,
  body: inboundCreate,
  status: 201,
  output: inbound,
  headers: ['ETag', 'Location'],
  errors: ['node_not_found', 'tariff_not_found', 'vault_unavailable'],
  example: {
    body: {
      node_id: 1,
      tag: 'vless-reality',
      name: 'Germany 1',
      protocol: 'vless',
      security: 'reality',
      host: 'de1.example.com',
      port: 443,
      sni: 'www.example.org',
      flow: 'xtls-rprx-vision',
      fingerprint: 'chrome',
      public_key: 'KhJyt0Jafc8s8FA3ByDTPPHrW5qecFf1jDVzL4rpox8',
      short_id: '6ba85179e30d4fc2',
    },
    reply: { ...inboundExample, has_private_key: false },
  },
});

export const updateInbound = apiOperation({
  id: 'updateInbound',
  method: 'PATCH',
  path: '/inbounds/{id}',
  access: 'full',
  tag: 'Inbounds',
  summary: 'Change an inbound',
  params: byId,
  query: none,
  body: inboundPatch,
  status: 200,
  output: inbound,
  headers: ['ETag'],
  ifMatch: true,
  needsSessionProof: (input) => hasMember(input, ['host', 'hosts']),
  errors: ['not_found', 'precondition_failed', 'tariff_not_found', 'vault_unavailable'],
  example: {
    params: { id: 1 },
    body: { name: 'Germany, Frankfurt' },
    reply: { ...inboundExample, name: 'Germany, Frankfurt' },
  },
});

export const deleteInbound = apiOperation({
  id: 'deleteInbound',
  method: 'DELETE',
  path: '/inbounds/{id}',
  access: 'full',
  tag: 'Inbounds',
  summary: 'Delete an inbound',
  description: 'Possible only if no tariff and no user uses it.',
  params: byId,
  query: none,
  body: null,
  status: 204,
  output: null,
  ifMatch: true,
  errors: ['not_found', 'precondition_failed', 'inbound_in_use'],
  example: { params: { id: 1 } },
});

export const placeInbound = apiOperation({
  id: 'placeInbound',
  method: 'PUT',
  path: '/inbounds/{id}/nodes',
  access: 'full',
  tag: 'Inbounds',
  summary: 'Choose the nodes of an inbound',
  description:
    'Puts the definition on exactly these nodes. Each node without it gets an inbound with the same settings and keys, with the name of the node in its name, the address of the node as its host and no `hosts`. Tariffs and users with this inbound also get the new ones. On other nodes of the group it is deleted, and removed from tariffs and users that have another one of the group; if any of them would be left with none, the request is refused and nothing changes.',
  params: byId,
  query: none,
  body: z
    .strictObject({ node_ids: nodeIds.min(1).meta({ description: 'The nodes, by their ids.' }) })
    .meta({ id: 'InboundNodes', description: 'The nodes of an inbound.' }),
  status: 200,
  output: z
    .object({ items: z.array(inbound).meta({ description: 'The inbounds of the group, by id.' }) })
    .meta({ id: 'InboundGroup', description: 'An inbound on all its nodes.' }),
  errors: ['not_found', 'node_not_found', 'inbound_in_use', 'vault_unavailable'],
  example: { params: { id: 1 }, body: { node_ids: [1] }, reply: { items: [inboundExample] } },
});

/** Generated by the panel, so that the engine's tool is not needed. */
export const makeRealityKeys = panelOperation({
  id: 'makeRealityKeys',
  access: 'session',
  effect: 'read',
  tag: 'Inbounds',
  summary: 'Generate a pair of X25519 keys for an inbound',
  description: 'Nothing is stored: pass both to createInbound or updateInbound.',
  input: z.strictObject({}),
  output: z.object({ private_key: x25519Key, public_key: x25519Key }),
  example: {
    body: {},
    reply: {
      private_key: '6Fh1ZxNa9rCjQ0jvM3bT5yWk2sE8uLpD4oIfGzXqR0A',
      public_key: 'KhJyt0Jafc8s8FA3ByDTPPHrW5qecFf1jDVzL4rpox8',
    },
  },
});

export const makeVlessEncryption = panelOperation({
  id: 'makeVlessEncryption',
  access: 'session',
  effect: 'read',
  tag: 'Inbounds',
  summary: 'Generate both halves of VLESS encryption for an inbound',
  description: 'Nothing is stored: pass both to createInbound or updateInbound.',
  input: z.strictObject({
    authentication: z.enum(VLESS_AUTHENTICATIONS).meta({
      description:
        'The key by which apps recognize the node. `mlkem768` also withstands quantum computers, and makes links 1,500 characters longer. Traffic is encrypted with both in either case.',
    }),
    appearance: z.enum(VLESS_APPEARANCES).meta({
      description: '`native`: as it is; `xorpub`: without recognizable keys; `random`: all bytes look random.',
    }),
  }),
  output: z.object({ decryption: vlessDecryption, encryption: vlessEncryption }),
  example: {
    body: { authentication: 'x25519', appearance: 'native' },
    reply: {
      decryption: 'mlkem768x25519plus.native.600s.6Fh1ZxNa9rCjQ0jvM3bT5yWk2sE8uLpD4oIfGzXqR0A',
      encryption: 'mlkem768x25519plus.native.0rtt.KhJyt0Jafc8s8FA3ByDTPPHrW5qecFf1jDVzL4rpox8',
    },
  },
});

export const makeMldsa65 = panelOperation({
  id: 'makeMldsa65',
  access: 'session',
  effect: 'read',
  tag: 'Inbounds',
  summary: 'Generate a pair of ML-DSA-65 keys for an inbound',
  description: 'Nothing is stored: pass both to createInbound or updateInbound.',
  input: z.strictObject({}),
  output: z.object({ mldsa65_seed: mldsa65Seed, mldsa65_verify: mldsa65Key }),
  example: {
    body: {},
    reply: {
      mldsa65_seed: '6Fh1ZxNa9rCjQ0jvM3bT5yWk2sE8uLpD4oIfGzXqR0A',
      mldsa65_verify: `${'MLDSA65-'.repeat(325)}Key`,
    },
  },
});
