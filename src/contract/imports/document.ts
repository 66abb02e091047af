// The neutral document of an import and an export: users, connections and plans of any panel, in this panel's own terms.
import { z } from 'zod';
import { MAX_HOSTS } from '../hosts.ts';
import { inboundCreate } from '../inbounds.ts';
import * as s from '../scalars.ts';
import { tariffCreate } from '../tariffs.ts';
import { checkGrantDays, GRANT_LIFETIMES, MAX_GRANT_DAYS } from '../users/grants.ts';
import { hold, resetStrategy } from '../users/users.ts';

export const EXPORT_FORMAT = 'gatehouse-export';

export const IMPORT_SOURCES = [
  'gatehouse',
  '3x-ui',
  'marzban',
  'pasarguard',
  'marzneshin',
  'hiddify',
  'remnawave',
  'list',
] as const;
export type ImportSource = (typeof IMPORT_SOURCES)[number];

/** What an import changes of a record, or cannot carry over. */
export const IMPORT_LOSSES = [
  'name_shortened',
  'note_shortened',
  'limit_too_large',
  'term_too_late',
  'hold_rounded',
  'hold_deadline',
  'reset_replaced',
  'telegram_id_invalid',
  'next_plan',
  'auto_delete',
  'clients_merged',
  'clients_apart',
  'devices',
  'credential_invalid',
  'connection_left_out',
  'connections_unknown',
  'listens_locally',
  'fallbacks',
  'headers',
  'host_header',
  'proxy_protocol',
  'certificate_missing',
  'hosts',
  'traffic_limit',
  'term',
  'other_settings',
] as const;
export type ImportLossCode = (typeof IMPORT_LOSSES)[number];

const loss = z.strictObject({ code: z.enum(IMPORT_LOSSES), detail: z.string().max(200) });
export type ImportLoss = z.output<typeof loss>;
const losses = z.array(loss).max(50).meta({ description: 'What differs from the source, with its value there.' });

/** Of a record in the source; unique among its kind. */
const sourceId = z.string().min(1).max(300).meta({ description: 'The id in the source.' });

const documentHosts = z
  .array(
    inboundCreate.shape.hosts
      .unwrap()
      .element.omit({ tariffs: true })
      .extend({ tariffs: z.array(sourceId).max(100).default([]) }),
  )
  .max(MAX_HOSTS);

export const documentInbound = inboundCreate
  .omit({ node_id: true, more_node_ids: true, shares_port_of: true })
  .extend({
    id: sourceId,
    node: z.string().max(100).nullable().meta({ description: 'The name of its node.' }),
    shares_port_of: sourceId.nullable().meta({ description: 'The inbound through whose port it is reached.' }),
    hosts: documentHosts.default([]).meta({ description: 'Where apps reach it; empty: at its host or node.' }),
    losses,
  })
  .meta({ id: 'ExportedInbound' });
export type DocumentInbound = z.output<typeof documentInbound>;

const leftOut = z.strictObject({
  kind: z.enum(['user', 'inbound']),
  id: sourceId,
  name: z.string().max(300),
  reason: z.string().max(500).meta({ description: 'Why this panel cannot have it.' }),
});

const documentHost = z.strictObject({
  inbound: sourceId,
  name: z.string().max(500),
  address: z.string().max(1000),
  port: z.int().min(0).max(65_535).nullable(),
  sni: z.string().max(1000).nullable(),
  host: z.string().max(1000).nullable(),
  path: z.string().max(1000).nullable(),
  security: z.string().max(50).nullable(),
  enabled: z.boolean(),
});
export type DocumentHost = z.output<typeof documentHost>;

/** Times before 1970 cannot be stored. */
const instant = s.instant.refine((text) => !(Date.parse(text) < 0), { message: 'must not lie before 1970' });

/** What a hold may be at most, as one that was extended again and again. */
const MAX_HOLD = { months: 1200, days: 36_525 };
const boundedHold = hold.refine(({ months, days }) => months <= MAX_HOLD.months && days <= MAX_HOLD.days, {
  message: 'must be at most 100 years',
});

const uuid = z.string().regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
/** 32 bytes in base64. */
const key = z.string().regex(/^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/);
const password = s.text({ min: 1, max: 500 });
const byInbound = z.strictObject({
  inbound: sourceId,
  value: password,
  flow: z.enum(['', 'xtls-rprx-vision']).nullable(),
});
const documentCredentials = z.strictObject({
  uuid: uuid.nullable(),
  password: password.nullable(),
  key: key.nullable(),
  wireguard: key.nullable(),
  by_inbound: z
    .array(byInbound)
    .max(500)
    .refine((all) => new Set(all.map(({ inbound }) => inbound)).size === all.length, {
      message: 'must not repeat an inbound',
    })
    .meta({ description: 'What the user presents on single inbounds instead.' }),
});

/** What each family of credentials looks like. */
export const CREDENTIAL_FORMS = { uuid, password, key, wireguard: key } as const;

const grant = z
  .strictObject({
    bytes: z.int().min(1).max(Number.MAX_SAFE_INTEGER),
    bytes_left: s.bytes,
    lifetime: z.enum(GRANT_LIFETIMES),
    days: z.int().min(1).max(MAX_GRANT_DAYS).nullable(),
    ends_at: instant.nullable(),
    note: s.text({ min: 0, max: 200 }),
    created_at: instant,
  })
  .superRefine(({ bytes, bytes_left, lifetime, days }, context) => {
    checkGrantDays({ lifetime, days: days ?? undefined }, context);
    if (bytes_left > bytes)
      context.addIssue({ code: 'custom', path: ['bytes_left'], message: 'must be at most bytes', input: bytes_left });
  });

export const documentUser = z
  .strictObject({
    id: sourceId,
    name: s.name,
    contact: s.contact,
    note: s.note,
    tags: s.tags,
    external_id: s.externalId.nullable(),
    telegram_id: s.telegramId.nullable(),
    metadata: s.metadata,
    enabled: z.boolean(),
    expires_at: s.expiresAt.nullable(),
    hold: boundedHold.nullable(),
    traffic_limit: s.trafficLimit.nullable(),
    used_up: s.bytes,
    used_down: s.bytes,
    total_up: s.bytes,
    total_down: s.bytes,
    grants: z.array(grant).max(1000),
    reset_strategy: resetStrategy,
    term_began_at: instant.nullable(),
    held_at: instant.nullable(),
    resets_at: instant.nullable(),
    device_limit: s.deviceLimit,
    concurrent_limit: s.concurrentLimit,
    tariff: sourceId.nullable(),
    inbounds: z.array(sourceId).max(1000).nullable().meta({ description: 'null: all.' }),
    credentials: documentCredentials,
    links: z
      .array(z.strictObject({ token: z.string().min(1).max(400), not_before: instant.nullable() }))
      .max(5)
      .meta({ description: 'The links in the source: their tokens, or the names in computed ones.' }),
    token: z
      .string()
      .regex(/^[A-Za-z0-9_-]{16,64}$/)
      .nullable()
      .meta({ description: 'The last segment of the subscription link of this panel; null: a new one.' }),
    online_at: instant.nullable(),
    created_at: instant.nullable(),
    losses,
  })
  .superRefine(({ hold: held, expires_at }, context) => {
    if (held !== null && expires_at !== null)
      context.addIssue({ code: 'custom', path: ['hold'], message: 'does not go with expires_at', input: held });
  })
  .meta({ id: 'ExportedUser' });
export type DocumentUser = z.output<typeof documentUser>;

/** How tokens of links are told: they are stored, or computed from a name and a time by a secret of the source. */
export const LINK_KINDS = ['constant', 'marzban', 'pasarguard'] as const;
export type LinkKind = (typeof LINK_KINDS)[number];
/** Characters. */
export const MAX_LINK_SECRET = 500;
const documentLinks = z.strictObject({
  kind: z.enum(LINK_KINDS),
  path: z.string().max(200).meta({ description: 'Before the token, as in `/sub/`.' }),
  secret: z
    .string()
    .min(1)
    .max(MAX_LINK_SECRET)
    .nullable()
    .meta({ description: 'By which tokens are computed; null: unknown, so that none is accepted.' }),
});
export type DocumentLinks = z.output<typeof documentLinks>;

const documentTariff = tariffCreate
  .extend({ id: sourceId, inbounds: z.array(sourceId).max(1000).nullable() })
  .superRefine(({ starts, duration }, context) => {
    if (starts === 'on_first_use' && duration === null)
      context.addIssue({ code: 'custom', path: ['starts'], message: 'needs a duration', input: starts });
  })
  .meta({ id: 'ExportedTariff' });
export type DocumentTariff = z.output<typeof documentTariff>;

/** Records of each kind. */
export const DOCUMENT_LIMITS = {
  tariffs: 10_000,
  inbounds: 1000,
  left_out: 1_000_000,
  hosts: 10_000,
  users: 1_000_000,
} as const;

/** All of a document but its users, who are the most. */
const header = z.strictObject({
  format: z.literal(EXPORT_FORMAT),
  version: z.literal(1),
  source: z.strictObject({
    name: z.enum(IMPORT_SOURCES),
    /** Tells installations of one panel apart. */
    instance: z.string().min(1).max(100),
    read_at: s.instant,
  }),
  links: documentLinks.nullable().meta({ description: 'The links of users in the source; null: unknown.' }),
  tariffs: z.array(documentTariff).max(DOCUMENT_LIMITS.tariffs),
  inbounds: z.array(documentInbound).max(DOCUMENT_LIMITS.inbounds),
  left_out: z
    .array(leftOut)
    .max(DOCUMENT_LIMITS.left_out)
    .meta({ description: 'Records of the source that this panel cannot have.' }),
  hosts: z.array(documentHost).max(DOCUMENT_LIMITS.hosts).meta({ description: 'Further addresses of inbounds.' }),
});
export const documentHeader = header;
export type DocumentHeader = z.output<typeof header>;

export const exportDocument = header
  .extend({ users: z.array(documentUser).max(DOCUMENT_LIMITS.users) })
  .meta({ id: 'GatehouseExport', description: 'Users, inbounds and plans of a panel.' });
export type ExportDocument = z.output<typeof exportDocument>;
