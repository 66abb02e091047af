// The schema of each type of event. The type `Event`, the enum of types and the documents are derived from this list.
import { z } from 'zod';
import { nodeRestart } from './nodes/nodes.ts';
import { PROVIDER_ERRORS, PROVIDER_KINDS } from './sales/providers.ts';
import * as s from './scalars.ts';
import { acmeFailureCode } from './settings/acme.ts';
import { userState } from './users/users.ts';

export const EVENT_ACTOR_KINDS = ['key', 'administrator', 'cli', 'system'] as const;
export type EventActorKind = (typeof EVENT_ACTOR_KINDS)[number];

const eventActor = z
  .object({
    kind: z.enum(EVENT_ACTOR_KINDS).meta({
      id: 'EventActorKind',
      description:
        '`key`: a request with an API key. `administrator`: the panel. `cli`: the command line on the server. `system`: time, traffic, and the panel itself.',
    }),
    key_id: s.id.nullable().meta({ description: 'The id of the API key; null unless `kind` is `key`.' }),
  })
  .meta({ id: 'EventActor', description: 'The cause of an event.' });

const userId = s.id.meta({ description: 'The id of the user.' });
const tariffId = s.id.nullable().meta({ description: 'The id of the tariff of the user; null without one.' });
const userName = z.string().meta({ description: 'The name of the user.' });

const userFacts = {
  user_id: userId,
  contact: z.string().meta({ description: 'The contact of the user, so that a bot can write to them; empty if none.' }),
  external_id: z
    .string()
    .nullable()
    .meta({ description: 'The id of the user in another system, such as billing; null if none.' }),
  state: userState.meta({ description: 'The state of the user after the event.' }),
  expires_at: s.instant
    .nullable()
    .meta({ description: 'The end of the term after the event; null: never, or on hold.' }),
};

const userData = z.object(userFacts).meta({ id: 'UserEventData', description: 'The user, after the event.' });
const userCreatedData = z
  .object({ ...userFacts, name: userName, tariff_id: tariffId })
  .meta({ id: 'UserCreatedEventData', description: 'The new user.' });
const userChangedData = z
  .object({ ...userFacts, tariff_id: tariffId })
  .meta({ id: 'UserChangedEventData', description: 'The user, after the change.' });
const orderId = s.id
  .optional()
  .meta({ description: 'The number of the order, if a payment or its refund caused the event; else absent.' });
const userExtendedData = z
  .object({
    ...userFacts,
    days: z.int().min(1).optional().meta({ description: 'The days of the extension; absent if it was in months.' }),
    months: z.int().min(1).optional().meta({ description: 'The months of the extension; absent if it was in days.' }),
    order_id: orderId,
  })
  .meta({ id: 'UserExtendedEventData', description: 'The user, after the extension, and its length.' });
const userShortenedData = z
  .object({
    ...userFacts,
    days: z.int().min(1).optional().meta({ description: 'The days removed; absent if it was in months.' }),
    months: z.int().min(1).optional().meta({ description: 'The months removed; absent if it was in days.' }),
    order_id: orderId,
  })
  .meta({ id: 'UserShortenedEventData', description: 'The user, after the term was shortened, and by how much.' });
const userExpiringData = z
  .object({
    ...userFacts,
    days: z.int().min(1).meta({ description: 'The value of `expiring_notice_days` for this event.' }),
  })
  .meta({ id: 'UserExpiringEventData', description: 'The user, and the days between the notice and the end.' });
const userConcurrentData = z
  .object({
    ...userFacts,
    addresses: z.int().min(2).meta({ description: 'The number of addresses from which the user opened connections.' }),
    concurrent_limit: z.int().min(1).meta({ description: 'The limit.' }),
    cut_off_until: s.instant.nullable().meta({ description: 'Until when the user is blocked; null: not blocked.' }),
    cut_off_node_id: s.id
      .nullable()
      .meta({ description: 'The only node where the user is blocked; null: every node.' }),
  })
  .meta({ id: 'UserConcurrentExceededEventData', description: 'The user, and the number of addresses.' });
const userGrantedData = z
  .object({
    ...userFacts,
    grant_id: s.id.meta({ description: 'The id of the grant.' }),
    bytes: s.bytes.meta({ description: 'The bytes of the grant.' }),
    order_id: orderId,
  })
  .meta({ id: 'UserGrantedEventData', description: 'The user and the new grant.' });
const userGrantEndedData = z
  .object({ ...userFacts, grant_id: s.id.meta({ description: 'The id of the grant.' }) })
  .meta({ id: 'UserGrantEndedEventData', description: 'The user and the grant that ended.' });
const userMovedAfterCutData = z
  .object({
    ...userFacts,
    node_id: s.id.meta({ description: 'The node of the traffic.' }),
    up: s.bytes.meta({ description: 'Bytes sent so far.' }),
    down: s.bytes.meta({ description: 'Bytes received so far.' }),
  })
  .meta({
    id: 'UserMovedAfterCutEventData',
    description:
      'The user, and the first such bytes; `after_cut_up` and `after_cut_down` of the user continue to count.',
  });
const userDeletedData = z.object({ ...userFacts, name: userName, tariff_id: tariffId }).meta({
  id: 'UserDeletedEventData',
  description: 'The user before the deletion, so that a bot can still write to them.',
});
const tariffData = z
  .object({
    tariff_id: s.id.meta({ description: 'The id of the tariff.' }),
    name: z.string().meta({ description: 'The name of the tariff.' }),
  })
  .meta({ id: 'TariffEventData', description: 'The tariff, after the event.' });
const inboundData = z
  .object({
    inbound_id: s.id.meta({ description: 'The id of the inbound.' }),
    node_id: s.id.meta({ description: 'The id of its node.' }),
    name: z.string().meta({ description: 'The name of the inbound.' }),
  })
  .meta({ id: 'InboundEventData', description: 'The inbound, after the event.' });
const nodeData = z
  .object({
    node_id: s.id.meta({ description: 'The id of the node.' }),
    name: z.string().meta({ description: 'The name of the node.' }),
  })
  .meta({ id: 'NodeEventData', description: 'The node, after the event.' });
const nodeRestartedData = z
  .object({
    ...nodeData.shape,
    reason: nodeRestart.shape.reason,
    inbound_id: nodeRestart.shape.inbound_id,
    user_ids: nodeRestart.shape.user_ids,
  })
  .meta({ id: 'NodeRestartedEventData', description: 'The node, and the reason.' });
const nodeTrafficImplausibleData = z
  .object({
    ...nodeData.shape,
    up: s.bytes.meta({ description: 'Bytes up that were not counted.' }),
    down: s.bytes.meta({ description: 'Bytes down that were not counted.' }),
  })
  .meta({ id: 'NodeTrafficImplausibleEventData', description: 'The node, and the traffic that was not counted.' });
const nodeCertificateData = z
  .object({ ...nodeData.shape, not_after: s.instant.meta({ description: 'When the certificate expires.' }) })
  .meta({ id: 'NodeCertificateEventData', description: 'The node, and the certificate of its machine for links.' });
const nodeCertificateFailedData = z
  .object({
    ...nodeData.shape,
    code: acmeFailureCode.meta({ description: 'Why.' }),
    not_after: s.instant
      .nullable()
      .meta({ description: 'When the present certificate expires; null: there is none yet.' }),
  })
  .meta({ id: 'NodeCertificateFailedEventData', description: 'The node, and why its machine has no new certificate.' });
const backupData = z
  .object({ name: z.string().meta({ description: 'The name of the backup file.' }) })
  .meta({ id: 'BackupEventData', description: 'The backup.' });
const supersededData = z
  .object({
    epoch: z.int().min(1).meta({ description: 'The epoch of this panel, which is lower than that of the other one.' }),
  })
  .meta({ id: 'PanelSupersededEventData', description: 'The epoch.' });
const backupFailedData = z
  .object({
    reason: z.string().meta({ description: 'The error code, as in `storage_full`.' }),
    place: z.string().nullable().meta({ description: 'The name of the place outside of the machine; null: on it.' }),
  })
  .meta({ id: 'BackupFailedEventData', description: 'Why there is no backup.' });
const backupStoredData = z
  .object({
    name: z.string().meta({ description: 'The name of the backup there.' }),
    place: z.string().meta({ description: 'The name of the place.' }),
  })
  .meta({ id: 'BackupStoredEventData', description: 'The backup and the place.' });
const backupLateData = z
  .object({ left_at: s.instant.nullable().meta({ description: 'When one last left the machine; null: none has.' }) })
  .meta({ id: 'BackupLateEventData', description: 'The last backup elsewhere.' });
const webhookData = z
  .object({ webhook_id: s.id.meta({ description: 'The id of the webhook.' }) })
  .meta({ id: 'WebhookEventData', description: 'The webhook.' });
const providerFailedData = z
  .object({
    provider_id: s.id.meta({ description: 'The id of the payment provider.' }),
    kind: z.enum(PROVIDER_KINDS).meta({ id: 'ProviderKind', description: 'Which provider it is.' }),
    name: z.string().meta({ description: 'Its name in the panel.' }),
    error: z
      .enum(PROVIDER_ERRORS)
      .meta({ id: 'ProviderError', description: 'Why: the keys were revoked, the account is closed, and so on.' }),
    codes: z.array(z.string()).meta({ description: "The provider's own identifiers of the reason." }),
  })
  .meta({ id: 'ProviderEventData', description: 'The payment provider, and why it refuses.' });
const certificateData = z.object({ not_after: s.instant.meta({ description: 'When the certificate expires.' }) }).meta({
  id: 'CertificateEventData',
  description: 'The certificate by ACME. Its names are addresses, so they are not in the event.',
});
const certificateFailedData = z
  .object({
    code: acmeFailureCode.meta({ description: 'Why.' }),
    not_after: s.instant
      .nullable()
      .meta({ description: 'When the present certificate expires; null: there is none by ACME.' }),
  })
  .meta({ id: 'CertificateFailedEventData', description: 'Why there is no new certificate.' });
const authorityReplacedData = z
  .object({
    fingerprint: z
      .string()
      .meta({ description: 'SHA-256 of the present authority, upper-case hex pairs with colons.' }),
    former_fingerprint: z.string().meta({
      description: 'The fingerprint of the previous authority, which clients trust until they have the new file.',
    }),
  })
  .meta({ id: 'CertificateAuthorityReplacedEventData', description: 'Both authorities.' });
const noData = z.object({}).meta({ id: 'EmptyEventData', description: 'No further data.' });

const USER = {
  user_id: 7,
  contact: '@anna',
  external_id: 'customer-4711',
  state: 'active',
  expires_at: '2026-12-20T21:00:00.000Z',
} as const;
const TARIFF = { tariff_id: 1, name: 'Monthly' } as const;
const INBOUND = { inbound_id: 3, node_id: 1, name: 'Germany 1' } as const;
const NODE = { node_id: 1, name: 'Frankfurt' } as const;

const BY_KEY = { actor: { kind: 'key', key_id: 2 }, request_id: '0b6f7d0e5c2b4f5e9a3d1c8e7f60a1b2' } as const;
const BY_ADMINISTRATOR = {
  actor: { kind: 'administrator', key_id: null },
  request_id: '5e0c7fd27c7d4f0a8b1e9d3c6a5b4f21',
} as const;
const BY_SYSTEM = { actor: { kind: 'system', key_id: null }, request_id: null } as const;

type Cause = typeof BY_KEY | typeof BY_ADMINISTRATOR | typeof BY_SYSTEM;

/** Component names are derived from the type: `user.traffic_low` is `UserTrafficLowEvent`. */
function componentName(type: string): string {
  const words = type.split(/[._]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('')}Event`;
}

/** One type of event: description, schema of `data`, and an example. */
function defineEvent<const Type extends string, Data extends z.ZodObject>(
  type: Type,
  description: string,
  data: Data,
  example: z.input<Data>,
  cause: Cause,
  changed: readonly string[] = [],
) {
  return z
    .object({
      id: s.id.meta({ description: 'Increases with each event; there may be gaps.' }),
      type: z.literal(type).meta({ description: 'The type of the event.' }),
      at: s.instant.meta({
        description: 'The exact time, also if it happened while the panel was stopped.',
      }),
      actor: eventActor,
      request_id: z.string().nullable().meta({
        description: '`X-Request-Id` of the reply to the request that caused it; null if the system did.',
      }),
      changed: z.array(z.string()).meta({
        description:
          'The sorted names of the fields that the request changed, without `updated_at`. Empty if the record was created or deleted, and for changes by time or traffic.',
      }),
      data,
    })
    .meta({
      id: componentName(type),
      description,
      examples: [{ id: 42, type, at: '2026-11-20T10:00:00.000Z', ...cause, changed, data: example }],
    });
}

const EVENTS = [
  defineEvent(
    'user.created',
    'A user was created.',
    userCreatedData,
    { ...USER, name: 'Anna Smirnova', tariff_id: 1 },
    BY_KEY,
  ),
  defineEvent(
    'user.changed',
    'Fields of a user were changed, or a grant was revoked.',
    userChangedData,
    { ...USER, tariff_id: 1 },
    BY_ADMINISTRATOR,
    ['contact', 'tags'],
  ),
  defineEvent('user.extended', 'The term of a user was extended.', userExtendedData, { ...USER, months: 1 }, BY_KEY, [
    'expires_at',
  ]),
  defineEvent('user.shortened', 'The term of a user was shortened.', userShortenedData, { ...USER, days: 10 }, BY_KEY, [
    'expires_at',
  ]),
  defineEvent(
    'user.expiring',
    'The term of a user ends in `days` times 24 hours. Emitted at exactly that time, once for each value of `expiring_notice_days` and each new end. If times have passed already when an end is set, only the event with the fewest days is emitted, at once.',
    userExpiringData,
    { ...USER, days: 3 },
    BY_SYSTEM,
  ),
  defineEvent('user.expired', 'The term of a user ended.', userData, { ...USER, state: 'expired' }, BY_SYSTEM),
  defineEvent(
    'user.traffic_low',
    '80 % of the traffic limit of an active user is used: a fifth of the limit or less is left, grants included. Once in a period, and again only if a grant, a higher limit or a reset has brought the user below 80 %. If all traffic is used up at once, only `user.limited` is emitted.',
    userData,
    USER,
    BY_SYSTEM,
  ),
  defineEvent(
    'user.concurrent_exceeded',
    'A user opened connections from more addresses than `concurrent_limit` in two consecutive periods of about 30 seconds. Emitted again only after 10 minutes within the limit, and each time the user is blocked.',
    userConcurrentData,
    { ...USER, addresses: 6, concurrent_limit: 4, cut_off_until: null, cut_off_node_id: null },
    BY_SYSTEM,
  ),
  defineEvent(
    'user.limited',
    'The traffic of a user is used up: the state became `limited`.',
    userData,
    { ...USER, state: 'limited' },
    BY_SYSTEM,
  ),
  defineEvent(
    'user.moved_after_cut',
    'A user who may no longer connect still moves bytes over open connections. Once after each time the user is cut off, with the first reading of counters that shows such bytes.',
    userMovedAfterCutData,
    { ...USER, state: 'disabled', node_id: 1, up: 12_000, down: 3_400_000 },
    BY_SYSTEM,
  ),
  defineEvent(
    'user.activated',
    'The state of a user became `active`: the user may connect again, or the first connection started the term.',
    userData,
    USER,
    BY_KEY,
  ),
  defineEvent(
    'user.reset',
    'The traffic counter of a user was reset, by a request or by the reset strategy.',
    userData,
    USER,
    BY_SYSTEM,
  ),
  defineEvent(
    'user.reissued',
    'A user got a new subscription link and new credentials; they are not in the event.',
    userData,
    USER,
    BY_KEY,
    ['sub_url'],
  ),
  defineEvent(
    'user.granted',
    'A user got extra traffic.',
    userGrantedData,
    { ...USER, grant_id: 5, bytes: 10_000_000_000 },
    BY_KEY,
    ['traffic_extra', 'traffic_remaining'],
  ),
  defineEvent(
    'user.grant_ended',
    'A grant ended with bytes left, by its date or by a reset.',
    userGrantEndedData,
    { ...USER, grant_id: 5 },
    BY_SYSTEM,
  ),
  defineEvent('user.enabled', 'A user was enabled.', userData, USER, BY_ADMINISTRATOR, ['enabled', 'state']),
  defineEvent('user.disabled', 'A user was disabled.', userData, { ...USER, state: 'disabled' }, BY_ADMINISTRATOR, [
    'enabled',
    'state',
  ]),
  defineEvent(
    'user.deleted',
    'A user was deleted.',
    userDeletedData,
    { ...USER, name: 'Anna Smirnova', tariff_id: 1 },
    BY_ADMINISTRATOR,
  ),
  defineEvent('user.first_connected', 'A user connected for the first time.', userData, USER, BY_SYSTEM),
  defineEvent('tariff.created', 'A tariff was created.', tariffData, TARIFF, BY_ADMINISTRATOR),
  defineEvent('tariff.changed', 'A tariff was changed; its users stay as they are.', tariffData, TARIFF, BY_KEY, [
    'price',
  ]),
  defineEvent('tariff.deleted', 'A tariff was deleted.', tariffData, TARIFF, BY_ADMINISTRATOR),
  defineEvent('inbound.created', 'An inbound was created.', inboundData, INBOUND, BY_ADMINISTRATOR),
  defineEvent('inbound.changed', 'An inbound was changed.', inboundData, INBOUND, BY_ADMINISTRATOR, ['port', 'sni']),
  defineEvent('inbound.deleted', 'An inbound was deleted.', inboundData, INBOUND, BY_ADMINISTRATOR),
  defineEvent('node.created', 'A node was added.', nodeData, NODE, BY_ADMINISTRATOR),
  defineEvent('node.changed', 'A node was changed.', nodeData, NODE, BY_ADMINISTRATOR, ['enabled']),
  defineEvent('node.deleted', 'A node was deleted.', nodeData, NODE, BY_ADMINISTRATOR),
  defineEvent('node.up', 'A node answers again.', nodeData, NODE, BY_SYSTEM),
  defineEvent('node.down', 'A node does not answer.', nodeData, NODE, BY_SYSTEM),
  defineEvent(
    'node.restarted',
    'The panel restarted the engine of a node, which ended all connections through it, or reopened one of its inbounds, which ended those over it.',
    nodeRestartedData,
    { ...NODE, reason: 'cut_off', inbound_id: null, user_ids: [7] },
    BY_SYSTEM,
  ),
  defineEvent(
    'node.restored',
    'The machine of a node was restored from an old copy. Its traffic is counted from then on, and none is counted twice.',
    nodeData,
    NODE,
    BY_SYSTEM,
  ),
  defineEvent(
    'node.traffic_implausible',
    'A node reported more traffic than its line can carry. The rest is not counted. At most once a day per node.',
    nodeTrafficImplausibleData,
    { ...NODE, up: 0, down: 9_000_000_000_000_000 },
    BY_SYSTEM,
  ),
  defineEvent(
    'node.certificate_failed',
    'The machine of a node could not get a certificate for its links by ACME. It retries automatically. Once for each reason and certificate.',
    nodeCertificateFailedData,
    { ...NODE, code: 'refused', not_after: '2026-12-20T09:00:00.000Z' },
    BY_SYSTEM,
  ),
  defineEvent(
    'node.certificate_ending',
    'The certificate of a node for links expires soon and was not renewed. Once for each certificate.',
    nodeCertificateData,
    { ...NODE, not_after: '2026-12-20T09:00:00.000Z' },
    BY_SYSTEM,
  ),
  defineEvent(
    'settings.changed',
    'Settings of the panel were changed; `changed` has their names. Addresses are not in the event.',
    noData,
    {},
    BY_ADMINISTRATOR,
    ['announcement', 'time_zone'],
  ),
  defineEvent(
    'webhook.disabled',
    'A webhook was disabled, because it failed for days or answered 410.',
    webhookData,
    { webhook_id: 1 },
    BY_SYSTEM,
  ),
  defineEvent(
    'provider.failed',
    'A payment provider refuses requests, so that purchases fail or are not seen until the administrator acts. Once for each reason until it works again.',
    providerFailedData,
    { provider_id: 1, kind: 'stripe', name: 'Cards', error: 'unauthorized', codes: [] },
    BY_SYSTEM,
  ),
  defineEvent(
    'certificate.renewed',
    'A certificate by ACME was issued and is in use.',
    certificateData,
    { not_after: '2027-02-18T09:00:00.000Z' },
    BY_SYSTEM,
  ),
  defineEvent(
    'certificate.failed',
    'An order of a certificate by ACME failed; the previous one stays in use. The panel retries automatically.',
    certificateFailedData,
    { code: 'refused', not_after: '2026-12-20T09:00:00.000Z' },
    BY_SYSTEM,
  ),
  defineEvent(
    'certificate.ending',
    'A quarter of the lifetime of the certificate by ACME is left, and it was not renewed. Once for each certificate.',
    certificateData,
    { not_after: '2026-12-20T09:00:00.000Z' },
    BY_SYSTEM,
  ),
  defineEvent(
    'certificate.authority_replaced',
    "The panel's own authority was replaced, on request or because its files were lost: clients that trust the previous one refuse the panel until they have the new CA file.",
    authorityReplacedData,
    { fingerprint: '12:34:56', former_fingerprint: '65:43:21' },
    BY_SYSTEM,
  ),
  defineEvent('backup.made', 'A backup was created.', backupData, { name: 'panel-2026-11-20.backup' }, BY_SYSTEM),
  defineEvent(
    'backup.failed',
    'A scheduled backup failed, or could not be stored at a place. Once for each reason until one succeeds.',
    backupFailedData,
    { reason: 'storage_full', place: null },
    BY_SYSTEM,
  ),
  defineEvent(
    'backup.stored',
    'A backup was stored at a place outside of the machine.',
    backupStoredData,
    { name: 'gatehouse-k3v9-2026-11-20T10-00-00-000Z.gatehouse-backup', place: 'Storage' },
    BY_SYSTEM,
  ),
  defineEvent(
    'backup.late',
    'No backup has left the machine for two days. Once until one leaves.',
    backupLateData,
    { left_at: '2026-11-18T10:00:00.000Z' },
    BY_SYSTEM,
  ),
  defineEvent(
    'backup.restored',
    'The data were replaced by those of a backup: read everything again.',
    noData,
    {},
    BY_ADMINISTRATOR,
  ),
  defineEvent(
    'panel.superseded',
    'The data were restored elsewhere, and a node obeys that panel: this one can only be read, and sends nothing.',
    supersededData,
    { epoch: 1 },
    BY_SYSTEM,
  ),
] as const;

export const event = z.discriminatedUnion('type', EVENTS).meta({
  id: 'Event',
  description: 'An event, by `type`. New types may be added: ignore unknown ones.',
});
export type Event = z.output<typeof event>;
export type EventType = Event['type'];
/** The `data` of one type of event. */
export type EventData<Type extends EventType = EventType> = Extract<Event, { readonly type: Type }>['data'];
/** The `data` of every event about a user. */
export type UserFacts = z.output<typeof userData>;

export const EVENT_TYPES: readonly EventType[] = EVENTS.map(({ shape }) => shape.type.value);
export const eventType = z
  .enum(EVENT_TYPES)
  .meta({ id: 'EventType', description: 'The types of events. New ones may be added.' });
