// The document of this panel: users, inbounds and plans with their keys and links, in parts of its text.
import {
  type DocumentHeader,
  type DocumentInbound,
  type DocumentUser,
  EXPORT_FORMAT,
} from '../../contract/imports/document.ts';
import { keyFor } from '../../domain/nodes/shadowsocks.ts';
import type { Host } from '../../domain/subscription/hosts.ts';
import { engineInbound } from '../inbounds/inbound-secrets.ts';
import type { Env } from '../kernel/context.ts';
import { toInstant, toInstantOrNull } from '../kernel/wire.ts';
import type { InboundRow } from '../ports/inbounds.ts';
import type { UserRow } from '../ports/users.ts';
import { settleRow } from '../users/change.ts';

/** Users in one part. */
const PART = 200;

type ExportEnv = Pick<Env, 'clock' | 'settings' | 'store' | 'turn' | 'vault'>;

/** A part of the text of the document; `next` null: it is the last one. */
export interface ExportPart {
  readonly text: string;
  readonly next: number | null;
}

/** `after`: `next` of the part before; null: the first. PanelError `vault_unavailable` if the secrets of inbounds are locked. */
export function exportPart(env: ExportEnv, after: number | null): ExportPart {
  if (after === null) return { text: `${JSON.stringify(buildHeader(env)).slice(0, -1)},"users":[`, next: 0 };
  const { rows } = env.store.users.page({
    conditions: {},
    sort: 'id',
    descending: false,
    limit: PART,
    offset: 0,
    after: after === 0 ? null : { value: after, id: after },
    now: env.clock.now(),
  });
  const last = rows.at(-1);
  if (last === undefined) return { text: '\n]}\n', next: null };
  const texts = rows.map((row) => JSON.stringify(exportUser(env, row)));
  return { text: `${after === 0 ? '' : ','}\n${texts.join(',\n')}`, next: last.id };
}

export async function* exportDocument(env: ExportEnv): AsyncIterable<string> {
  for (let after: number | null = null; ; ) {
    const { text, next } = exportPart(env, after);
    yield text;
    if (next === null) return;
    after = next;
    await env.turn();
  }
}

function buildHeader(env: ExportEnv): DocumentHeader {
  const { store } = env;
  return {
    format: EXPORT_FORMAT,
    version: 1,
    source: { name: 'gatehouse', instance: env.settings().instanceId, read_at: toInstant(env.clock.now()) },
    links: null,
    tariffs: store.tariffs.page({}, store.tariffs.count({}), 0).map((row) => ({
      id: String(row.id),
      name: row.name,
      traffic_limit: row.trafficLimit,
      duration: row.duration,
      device_limit: row.deviceLimit,
      concurrent_limit: row.concurrentLimit,
      reset_strategy: row.resetStrategy,
      starts: row.starts,
      inbounds: row.inbounds?.map(String) ?? null,
      price: row.price as DocumentHeader['tariffs'][number]['price'],
      archived: row.archived,
    })),
    inbounds: store.inbounds.page({}, store.inbounds.count({}), 0).map((row) => exportInbound(env, row)),
    left_out: [],
    hosts: [],
  };
}

function exportInbound(env: ExportEnv, row: InboundRow): DocumentInbound {
  const { privateKey, certificateKey, serverKey, decryption, mldsa65Seed } = engineInbound(env, row);
  const isOwn = row.certificate?.isOwn === true;
  return {
    id: String(row.id),
    node: env.store.nodes.get(row.nodeId)?.name ?? null,
    losses: [],
    tag: row.tag,
    name: row.name,
    protocol: row.protocol,
    network: row.network,
    security: row.security,
    host: row.host,
    port: row.port,
    sni: row.sni,
    path: row.path,
    xhttp_mode: row.xhttpMode,
    xhttp_extra: row.xhttpExtra,
    proxy_header: row.proxyHeader,
    service_name: row.serviceName,
    flow: row.flow as DocumentInbound['flow'],
    fingerprint: row.fingerprint as DocumentInbound['fingerprint'],
    alpn: row.alpn as DocumentInbound['alpn'],
    public_key: row.publicKey,
    private_key: privateKey,
    decryption,
    encryption: row.encryption,
    mldsa65_seed: mldsa65Seed,
    mldsa65_verify: row.mldsa65Verify,
    short_id: row.shortId,
    more_short_ids: [...row.moreShortIds],
    more_server_names: [...row.moreServerNames],
    method: row.method as DocumentInbound['method'],
    server_key: serverKey === null || row.method === null ? null : keyFor(row.method, serverKey),
    obfs_password: row.obfsPassword,
    hop_ports: row.hopPorts,
    masquerade: row.masquerade,
    fragment: row.fragment,
    noise: row.noise,
    mux: row.mux,
    shares_port_of: row.sharesPortOf === null ? null : String(row.sharesPortOf),
    fallback: row.fallback,
    fallback_proxy_protocol: row.fallbackProxyProtocol,
    address_pool: row.addressPool,
    mtu: row.mtu,
    target: row.target,
    min_client_version: row.minClientVersion,
    certificate: isOwn ? (row.certificate?.chain ?? null) : null,
    certificate_key: isOwn ? certificateKey : null,
    hosts: row.hosts.map((host) => exportHost(env, host)),
    host_order: row.hostOrder,
    note: row.note,
    enabled: row.enabled,
  };
}

/** One for plans that are all deleted is for nobody. */
function exportHost({ store }: ExportEnv, host: Host): DocumentInbound['hosts'][number] {
  const { hostHeader, tariffs, tags, alpn, fingerprint, ...fields } = host;
  const present = tariffs.filter((id) => store.tariffs.get(id) !== undefined);
  const isForNobody = tariffs.length > 0 && present.length === 0 && tags.length === 0;
  return {
    ...fields,
    enabled: fields.enabled && !isForNobody,
    host_header: hostHeader,
    alpn: alpn as DocumentInbound['alpn'],
    fingerprint: fingerprint as DocumentInbound['fingerprint'],
    tariffs: present.map(String),
    tags: [...tags],
  };
}

function exportUser({ store, clock, settings }: ExportEnv, stored: UserRow): DocumentUser {
  const row = settleRow(store, stored, clock.now(), settings());
  const { byInbound = [], ...families } = store.users.credentials(row.id);
  return {
    id: String(row.id),
    name: row.name,
    contact: row.contact,
    note: row.note,
    tags: [...row.tags],
    external_id: row.externalId,
    telegram_id: row.telegramId,
    metadata: { ...row.metadata },
    enabled: row.enabled,
    expires_at: toInstantOrNull(row.expiresAt),
    hold: row.hold,
    traffic_limit: row.trafficLimit,
    used_up: row.usedUp,
    used_down: row.usedDown,
    total_up: row.totalUp,
    total_down: row.totalDown,
    grants: store.grants
      .page({ userId: row.id, state: undefined, now: clock.now(), isPeriodOver: false }, 1000, 0)
      .map(({ bytes, bytesLeft, lifetime, days, endsAt, note, createdAt }) => ({
        bytes,
        bytes_left: bytesLeft,
        lifetime,
        days,
        ends_at: toInstantOrNull(endsAt),
        note,
        created_at: toInstant(createdAt),
      })),
    reset_strategy: row.resetStrategy,
    term_began_at: toInstantOrNull(row.termBeganAt),
    held_at: toInstantOrNull(row.heldAt),
    resets_at: toInstantOrNull(row.resetsAt),
    device_limit: row.deviceLimit,
    concurrent_limit: row.concurrentLimit,
    tariff: row.tariffId === null ? null : String(row.tariffId),
    inbounds: row.inbounds?.map(String) ?? null,
    credentials: {
      ...families,
      by_inbound: byInbound.map(({ inboundId, value, flow }) => ({
        inbound: String(inboundId),
        value,
        flow: flow === null || flow === '' ? flow : 'xtls-rprx-vision',
      })),
    },
    links: [],
    token: row.token,
    online_at: toInstantOrNull(row.onlineAt),
    created_at: toInstant(row.createdAt),
    losses: [],
  };
}
