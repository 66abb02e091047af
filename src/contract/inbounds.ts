// Connections (inbounds) on the wire. A Read key sees which there are, never where.
import { z } from 'zod';
import { apiOperation, panelOperation } from './operation.ts';
import * as s from './scalars.ts';

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

/** What the target of REALITY was found to lack when the panel asked it. */
export const TARGET_FINDINGS = ['target_unreachable', 'target_no_tls13', 'target_no_h2', 'target_other_name'] as const;
export const INBOUND_WARNINGS = [
  'not_served',
  'unencrypted',
  ...TARGET_FINDINGS,
  'target_risky_name',
  'target_port',
  'min_client_version',
  'certificate_ended',
  'certificate_ends_soon',
  'certificate_not_pinned',
  'address_pool_small',
] as const;

const path = z
  .string()
  .max(256)
  .regex(/^\/[\x21-\x7e]*$/);

/** An X25519 key: 32 bytes in base64url. */
const x25519Key = z.string().regex(/^[A-Za-z0-9_-]{43}$/);

/** Settings that are described alike in requests and in replies, where they have no bounds. */
const ABOUT = {
  tag: "The engine's name for it, unique on its node.",
  name: 'What the user reads in the app.',
  host: "The address users connect to; null: the node's.",
  port: 'Where the node listens. Unique on it for TCP and for UDP: `hysteria2` and `wireguard` take the port of UDP, `shadowsocks` both, all others that of TCP.',
  sni: 'The server name of the TLS handshake; null: the address users connect to. `reality` needs one.',
  path: 'The path of the HTTP request, with `ws`, `httpupgrade` and `xhttp`; null: `/`.',
  service_name: 'The service name of `grpc`.',
  flow: 'With `vless` over `tcp` and `tls` or `reality`: how the traffic is shaped; null: not at all.',
  fingerprint: 'Whose TLS handshake the client imitates; null: the choice of the client. Not with `hysteria2`.',
  alpn: 'The protocols offered in the TLS handshake (ALPN), best first; null: the choice of the client. Not with `hysteria2`, whose is `h3`.',
  public_key: 'With `reality` and `wireguard`: the X25519 public key of the node, 32 bytes in base64url.',
  short_id: 'With `reality`: up to 8 bytes in hexadecimal, by which the node knows its clients.',
  method: 'With `shadowsocks`: the cipher. Those of 2022 have a key of the server besides, which the panel makes.',
  obfs_password:
    'With `hysteria2`: the password of the Salamander obfuscation, which makes QUIC look like random bytes. All users of the connection have it in their links; null: no obfuscation.',
  address_pool:
    'With `wireguard`: the private IPv4 network (/8 to /24) of which each user has an address inside the tunnel: the place of the address in it is the id of the user plus one. A user whose id is beyond it cannot use the connection. null only with other protocols.',
  mtu: 'With `wireguard`: the most bytes of a packet inside the tunnel; null: 1420.',
  target:
    'With `reality`: host and port of the site that the node pretends to be, as in `www.example.org:443`; null: port 443 of `sni`.',
  min_client_version: 'With `reality`: apps with an older core than this are refused; null: all are let in.',
  certificate:
    'With `tls`: an own certificate in PEM, the one of the server first, then its chain; null: the panel makes a self-signed one for `sni` and renews it before it ends.',
} as const;

const GROUP =
  'The group that it belongs to: connections with one definition, each on another node. null: it is on its own. Changing one of a group changes all of them, but for `name`, `host`, `note` and `enabled`.';

const NOTE = 'A remark for those who operate the panel.';

const flow = z.enum(['xtls-rprx-vision']).meta({ id: 'Flow', description: 'How VLESS shapes its traffic.' });
const fingerprint = z
  .enum(FINGERPRINTS)
  .meta({ id: 'Fingerprint', description: 'A program whose TLS handshake is imitated.' });
const alpnProtocol = z
  .enum(['h2', 'http/1.1', 'h3'])
  .meta({ id: 'AlpnProtocol', description: 'A protocol over TLS, by its registered name (RFC 7301).' });
const VERSION = /^\d{1,3}\.\d{1,3}\.\d{1,3}$/;
/** REALITY has a byte for each part. */
const clientVersion = z
  .string()
  .max(11)
  .regex(VERSION)
  .refine((version) => !VERSION.test(version) || version.split('.').every((part) => Number(part) <= 255), {
    message: 'must have parts of at most 255',
  });

/** The host and the port of a target; null where it is none. */
function partsOf(target: string): { readonly host: string; readonly port: number } | null {
  const [, literal, name, port] = /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d{1,5})$/.exec(target) ?? [];
  if (port === undefined || (literal !== undefined && !literal.includes(':'))) return null;
  return { host: literal ?? name ?? '', port: Number(port) };
}

function isTarget(text: string): boolean {
  const parts = partsOf(text);
  return parts !== null && parts.port >= 1 && parts.port <= 65_535 && s.hostName.safeParse(parts.host).success;
}

const target = z
  .string()
  .max(261)
  .regex(/^.+:\d{1,5}$/)
  .refine(isTarget, { message: 'must be a host name or an address (IPv6 in brackets) with a port' });

/** What IPv6 asks of any link, and the most that Ethernet carries. */
const MIN_MTU = 1280;
const MAX_MTU = 1500;

const addressPool = z
  .string()
  .max(18)
  .regex(/^\d{1,3}(\.\d{1,3}){3}\/(?:[89]|1\d|2[0-4])$/);

const warning = z.enum(INBOUND_WARNINGS).meta({
  id: 'InboundWarning',
  description:
    'What may keep users from connecting. `not_served`: the engine of the node lacks what it needs. `unencrypted`: VLESS without TLS to a public address, which Xray refuses since 26.7.11, so that it is left out of the format `xray`. Of the target of REALITY, when the panel last asked it: `target_unreachable`: it did not answer the panel; `target_no_tls13`: no TLS 1.3; `target_no_h2`: no HTTP/2; `target_other_name`: its certificate is not for `sni`. `target_risky_name`: a target that Xray warns of (.ru, .ir, .cn, apple, icloud, microsoft). `target_port`: a target on another port than 443. `min_client_version`: newer than 1.8.1, so that sing-box and mihomo are refused. `certificate_ended`, `certificate_ends_soon`: within 14 days. `certificate_not_pinned`: self-signed, with VMess, whose links have no place for its SHA-256. `address_pool_small`: there are users whose id is beyond the address pool, who cannot use the connection.',
});

const pem = (max: number) => z.string().max(max);

const method = z.enum(METHODS).meta({ id: 'ShadowsocksMethod', description: 'A cipher of Shadowsocks.' });

const fields = {
  node_id: s.id.meta({ description: 'The id of the node that serves it.' }),
  tag: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/)
    .meta({ description: ABOUT.tag }),
  name: s.name.meta({ description: ABOUT.name }),
  protocol: z.enum(PROTOCOLS).meta({ id: 'Protocol', description: 'The protocol that users speak with the node.' }),
  network: z.enum(NETWORKS).meta({
    id: 'Network',
    description:
      'What carries the protocol. `quic`: over UDP, with `hysteria2` only. `udp`: packets of UDP, with `wireguard` only.',
  }),
  security: z.enum(SECURITIES).meta({
    id: 'Security',
    description:
      '`none`: no TLS. `tls`: TLS with a certificate of the node. `reality`: TLS that looks like that of another site.',
  }),
  host: s.hostName.nullable().meta({ description: ABOUT.host }),
  port: z.int().min(1).max(65535).meta({ description: ABOUT.port }),
  sni: s.hostName.nullable().meta({ description: ABOUT.sni }),
  path: path.nullable().meta({ description: ABOUT.path }),
  service_name: z
    .string()
    .max(128)
    .regex(/^[\x21-\x7e]+$/)
    .nullable()
    .meta({ description: ABOUT.service_name }),
  flow: flow.nullable().meta({ description: ABOUT.flow }),
  fingerprint: fingerprint.nullable().meta({ description: ABOUT.fingerprint }),
  alpn: z.array(alpnProtocol).max(3).nullable().meta({ description: ABOUT.alpn }),
  public_key: x25519Key.nullable().meta({ description: ABOUT.public_key }),
  private_key: x25519Key.nullable().meta({
    description:
      'With `reality` and `wireguard`: stored encrypted and never sent back. Without a `public_key`, that is computed from it. With `wireguard` the panel makes one where none is given.',
  }),
  short_id: z
    .string()
    .regex(/^(?:[0-9a-f]{2}){0,8}$/)
    .nullable()
    .meta({ description: ABOUT.short_id }),
  method: method.nullable().meta({ description: ABOUT.method }),
  obfs_password: z
    .string()
    .min(4)
    .max(128)
    .regex(/^[\x21-\x7e]+$/)
    .nullable()
    .meta({ description: ABOUT.obfs_password }),
  address_pool: addressPool.nullable().meta({ description: ABOUT.address_pool }),
  mtu: z.int().min(MIN_MTU).max(MAX_MTU).nullable().meta({ description: ABOUT.mtu }),
  target: target.nullable().meta({ description: ABOUT.target }),
  min_client_version: clientVersion.nullable().meta({ description: ABOUT.min_client_version }),
  certificate: pem(100_000).nullable().meta({ description: ABOUT.certificate }),
  certificate_key: pem(20_000).nullable().meta({
    description:
      'The private key of a new `certificate` in PEM, not encrypted; required with one. Stored encrypted and never sent back.',
  }),
  note: s.note.meta({ description: NOTE }),
  enabled: z.boolean().meta({ description: 'false: the node does not serve it, and it is in no subscription.' }),
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
    id: s.idOf('connection'),
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
    service_name: secret(z.string().nullable(), ABOUT.service_name),
    flow: secret(z.string().nullable(), ABOUT.flow),
    fingerprint: secret(z.string().nullable(), ABOUT.fingerprint),
    alpn: secret(z.array(z.string()).nullable(), ABOUT.alpn),
    public_key: secret(z.string().nullable(), ABOUT.public_key),
    has_private_key: secret(z.boolean(), 'Whether a private key is stored, which no reply contains.'),
    short_id: secret(z.string().nullable(), ABOUT.short_id),
    method: secret(z.string().nullable(), ABOUT.method),
    obfs_password: secret(z.string().nullable(), ABOUT.obfs_password),
    address_pool: secret(z.string().nullable(), ABOUT.address_pool),
    mtu: secret(z.int().nullable(), ABOUT.mtu),
    target: secret(z.string().nullable(), ABOUT.target),
    min_client_version: secret(z.string().nullable(), ABOUT.min_client_version),
    certificate: secret(z.string().nullable(), ABOUT.certificate),
    certificate_sha256: secret(
      z.string().nullable(),
      'The SHA-256 of the certificate that is served, in lower-case hexadecimal; null: none is.',
    ),
    certificate_ends_at: secret(s.instant.nullable(), 'When that certificate ends.'),
    certificate_self_signed: secret(
      z.boolean().nullable(),
      'Whether it is signed by itself, so that apps must know its SHA-256 to trust it.',
    ),
    note: secret(z.string(), NOTE),
    warnings: secret(z.array(warning), 'What may keep users from connecting; empty: nothing is known to.'),
    enabled: fields.enabled,
    status: s.status.meta({ description: 'Whether its node serves it at the moment.' }),
    created_at: secret(s.instant, 'When the record was created.'),
    updated_at: secret(s.instant, 'When the record was last changed by a request.'),
  })
  .meta({ id: 'Inbound', description: 'A connection: the settings by which users connect to a node.' });
export type Inbound = z.output<typeof inbound>;
export type InboundWarning = (typeof INBOUND_WARNINGS)[number];
export type TargetFinding = (typeof TARGET_FINDINGS)[number];

/** The only fields of a connection that a Read key sees. */
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
      description:
        'Further nodes that get the same connection, which is a group with it: see `PUT /inbounds/{id}/nodes`.',
    }),
    tag: fields.tag,
    name: fields.name,
    protocol: fields.protocol,
    network: fields.network.optional().meta({
      description: 'What carries the protocol. Absent: `quic` with `hysteria2`, `udp` with `wireguard`, else `tcp`.',
    }),
    security: fields.security.optional().meta({
      description: 'How it is encrypted. Absent: `tls` with `hysteria2`, else `none`, which `trojan` does not allow.',
    }),
    host: fields.host.default(null),
    port: fields.port,
    sni: fields.sni.default(null),
    path: fields.path.default(null),
    service_name: fields.service_name.default(null),
    flow: fields.flow.default(null),
    fingerprint: fields.fingerprint.default(null),
    alpn: fields.alpn.default(null),
    public_key: fields.public_key.default(null),
    private_key: fields.private_key.default(null),
    short_id: fields.short_id.default(null),
    method: fields.method.default(null),
    obfs_password: fields.obfs_password.default(null),
    address_pool: fields.address_pool
      .default(null)
      .meta({ description: `${ABOUT.address_pool} Absent with it: \`10.64.0.0/10\`.` }),
    mtu: fields.mtu.default(null),
    target: fields.target.default(null),
    min_client_version: fields.min_client_version.default(null),
    certificate: fields.certificate.default(null),
    certificate_key: fields.certificate_key.default(null),
    note: fields.note.default(''),
    enabled: fields.enabled.default(true),
  })
  .meta({ id: 'InboundCreate', description: 'A new connection.' });
export type InboundCreate = z.output<typeof inboundCreate>;

export const inboundPatch = z.strictObject(fields).omit({ node_id: true, protocol: true }).partial().meta({
  id: 'InboundPatch',
  description: 'JSON merge patch. Node and protocol stay: make another connection instead.',
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
  service_name: null,
  flow: 'xtls-rprx-vision',
  fingerprint: 'chrome',
  alpn: null,
  public_key: 'KhJyt0Jafc8s8FA3ByDTPPHrW5qecFf1jDVzL4rpox8',
  has_private_key: true,
  short_id: '6ba85179e30d4fc2',
  method: null,
  obfs_password: null,
  address_pool: null,
  mtu: null,
  target: null,
  min_client_version: null,
  certificate: null,
  certificate_sha256: null,
  certificate_ends_at: null,
  certificate_self_signed: null,
  note: '',
  warnings: [],
  enabled: true,
  status: 'up',
  created_at: '2026-11-20T09:00:00.000Z',
  updated_at: '2026-11-20T09:00:00.000Z',
};

const none = z.strictObject({});
const byId = s.byIdOf('connection');

export const listInbounds = apiOperation({
  id: 'listInbounds',
  method: 'GET',
  path: '/inbounds',
  access: 'read',
  tag: 'Inbounds',
  summary: 'List connections',
  params: none,
  query: z.strictObject({
    node_id: s.id.optional().meta({ description: 'Connections of this node.' }),
    ...s.paging,
  }),
  body: null,
  status: 200,
  output: s.listOf(inbound, 'InboundList'),
  headers: ['Link'],
  example: { reply: { items: [inboundExample], total: 1, limit: 100, offset: 0, next_cursor: null } },
});

export const getInbound = apiOperation({
  id: 'getInbound',
  method: 'GET',
  path: '/inbounds/{id}',
  access: 'read',
  tag: 'Inbounds',
  summary: 'Read a connection',
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
  summary: 'Create a connection',
  params: none,
  query: none,
  body: inboundCreate,
  status: 201,
  output: inbound,
  headers: ['ETag', 'Location'],
  errors: ['node_not_found', 'vault_unavailable'],
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
  summary: 'Change a connection',
  params: byId,
  query: none,
  body: inboundPatch,
  status: 200,
  output: inbound,
  headers: ['ETag'],
  ifMatch: true,
  errors: ['not_found', 'precondition_failed', 'vault_unavailable'],
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
  summary: 'Delete a connection',
  description: 'Only where no plan and no user names it.',
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
  summary: 'Choose the nodes of a connection',
  description:
    'One definition on these nodes and no others: each node that has it not yet gets a connection of its own with the same settings and keys, under the name with its node in it, and the node as its address. Plans and users who name this one get the new ones too. On a node that is left out it is deleted: plans and users who name another one of the group lose it, and where one names no other one, nothing is changed.',
  params: byId,
  query: none,
  body: z
    .strictObject({ node_ids: nodeIds.min(1).meta({ description: 'The nodes, by their ids.' }) })
    .meta({ id: 'InboundNodes', description: 'The nodes of a connection.' }),
  status: 200,
  output: z
    .object({ items: z.array(inbound).meta({ description: 'The connections of the group, by id.' }) })
    .meta({ id: 'InboundGroup', description: 'A connection on all its nodes.' }),
  errors: ['not_found', 'node_not_found', 'inbound_in_use', 'vault_unavailable'],
  example: { params: { id: 1 }, body: { node_ids: [1] }, reply: { items: [inboundExample] } },
});

/** Made by the panel, so that the engine's own tool is not needed. */
export const makeRealityKeys = panelOperation({
  id: 'makeRealityKeys',
  access: 'session',
  effect: 'read',
  tag: 'Inbounds',
  summary: 'Make a pair of X25519 keys for a connection',
  description: 'Nothing is kept: hand both to createInbound or updateInbound.',
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
