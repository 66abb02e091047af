// Nodes on the wire: read through the API, changed in the panel only.
import { z } from 'zod';
import { PROOF_ERRORS, proof } from '../access/proof.ts';
import { apiOperation, hasMember, panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';
import { acmeFailureCode } from '../settings/acme.ts';

export const NODE_KINDS = ['local', 'remote'] as const;

export const NODE_ERROR_CODES = [
  'engine_missing',
  'engine_unreachable',
  'engine_crashed',
  'config_refused',
  'port_taken',
  'engine_refused',
  'other_version',
  'message_refused',
  'superseded',
  'other_panel',
] as const;

const nodeErrorCode = z.enum(NODE_ERROR_CODES).meta({
  id: 'NodeErrorCode',
  description:
    '`engine_missing`: there is no such program. `engine_unreachable`: it does not answer, or not in time. `engine_crashed`: it exited unexpectedly. `config_refused`: it refuses an inbound, which is not served, or served as before the change. `port_taken`: another program uses the port of an inbound, which is handled in the same way. `engine_refused`: it refused a user or a request. `other_version`: the machine of the node and the panel have incompatible protocol versions. `message_refused`: the machine of the node refused a message of the panel, such as the list of users: its engine serves the previous users. `superseded`: the data of this panel were restored elsewhere, and the machine of the node obeys that panel. `other_panel`: another panel with the same data, which was started later, is obeyed, or has started the engine again and again.',
});
export type NodeErrorCode = z.output<typeof nodeErrorCode>;

const CUT_OFFS = ['refuse', 'cut', 'reopen', 'restart'] as const;
const cutOff = z.enum(CUT_OFFS).meta({
  id: 'NodeCutOff',
  description:
    '`refuse`: it refuses new connections at once. `cut`: it closes the open connections of this user only. `reopen`: over Hysteria2 and gRPC, open connections end when the inbound is reopened, together with those of all its users. `restart`: other open connections end only when it restarts, together with those of all its users.',
});
export type CutOff = z.output<typeof cutOff>;

const RESTART_REASONS = ['cut_off', 'configuration', 'unknown_state'] as const;
const restartReason = z.enum(RESTART_REASONS).meta({
  id: 'NodeRestartReason',
  description:
    '`cut_off`: users who may not connect continued to move bytes. `configuration`: an inbound or the node was changed, or an inbound that was not served can be served now. `unknown_state`: it was not started by this panel, or missed too many changes.',
});
export type NodeRestartReason = z.output<typeof restartReason>;

/** Users listed for a restart. */
export const MAX_CUT_OFF = 100;

export const nodeRestart = z
  .object({
    at: s.instant.meta({ description: 'When the engine was stopped, or the inbound closed.' }),
    reason: restartReason,
    inbound_id: s.id.nullable().meta({
      description:
        'With `cut_off`: the only inbound that was reopened, which ended the connections over it. Null: the engine was restarted.',
    }),
    user_ids: z
      .array(s.id)
      .max(MAX_CUT_OFF)
      .meta({
        description: `With \`cut_off\`: the ids of users who moved bytes, at most ${MAX_CUT_OFF}, including users deleted since. Else empty.`,
      }),
  })
  .meta({
    id: 'NodeRestart',
    description:
      'A restart of an engine by the panel, which ends all connections through it, or of one of its inbounds alone.',
  });

const NOTE = 'A remark for the operators of the panel.';

const fields = {
  name: s.name,
  kind: z
    .enum(NODE_KINDS)
    .meta({ id: 'NodeKind', description: "`local`: the engine is on the panel's machine. `remote`: on another one." }),
  address: s.hostName.meta({ description: "The address in users' links, unless an inbound has its own." }),
  enabled: z.boolean().meta({ description: 'false: it serves no users.' }),
  allows_private: z.boolean().meta({
    description:
      'Whether users can reach private and local addresses through it, in the network and on the machine of the node.',
  }),
  draining: z.boolean().meta({
    description:
      'true: it continues to serve, but subscription links omit it, so that clients leave it at their next update. Users who would have no other inbound keep it.',
  }),
  weight_percent: z.int().min(0).max(1000).meta({
    description:
      "The percentage of its traffic that counts against users' limits and grants, and is in their `used_up` and `used_down`. 100: all. 0: none. `total_up` and `total_down`, statistics and the traffic of nodes and inbounds are the real bytes.",
  }),
  note: s.note.meta({ description: NOTE }),
};

export const node = z
  .object({
    id: s.defineId('node'),
    name: z.string().meta({ description: s.ABOUT.name }),
    kind: fields.kind,
    address: z.string().optional().meta({ description: 'Absent for a key with Read access.' }),
    enabled: fields.enabled,
    allows_private: fields.allows_private,
    draining: fields.draining,
    weight_percent: fields.weight_percent,
    note: z
      .string()
      .optional()
      .meta({ description: `${NOTE} Absent for a key with Read access.` }),
    status: s.status,
    core: z
      .object({
        name: z.string().meta({ description: 'The name of the program, as in `xray`.' }),
        version: z.string().meta({ description: 'Its version, as in `26.9.11`.' }),
      })
      .meta({ id: 'NodeCore', description: 'The engine of a node.' })
      .nullable()
      .meta({ description: 'Its engine; null while unknown.' }),
    uptime_s: z
      .int()
      .min(0)
      .nullable()
      .meta({ description: 'Seconds since its engine started; null unless it is up.' }),
    users_online: z.int().min(0).meta({ description: 'The number of users connected to it; 0 unless it is up.' }),
    addresses_online: z.int().min(0).nullable().meta({
      description:
        'The number of addresses from which users are connected; an address that two users share counts twice. Null if its engine does not report it (v2ray, and Xray before 26.1.13), or has not yet.',
    }),
    last_seen_at: s.instant.nullable().meta({ description: 'When its counters were last read; null: never.' }),
    poll_age_s: z
      .int()
      .min(0)
      .nullable()
      .meta({ description: 'Seconds since its counters were last read; they are read every 10 seconds. Null: never.' }),
    pending_changes: z.int().min(0).nullable().meta({
      description:
        'Changes of users that were not sent to its engine yet; null: it must be started first, with all users.',
    }),
    cut_off: z.array(cutOff).nullable().meta({
      description: 'What its engine can do when a user may no longer connect; null while unknown.',
    }),
    joined: z.boolean().meta({
      description: 'Whether its machine was joined; true for a local node.',
    }),
    fingerprint: z
      .string()
      .regex(/^[0-9a-f]{4}(?: [0-9a-f]{4}){4}$/)
      .nullable()
      .meta({
        description:
          'Fingerprint of the key of its machine, which `panel node join` shows too: the first 80 bits of its SHA-256; null: not joined, or a local node.',
      }),
    protocol: z.string().nullable().meta({
      description: 'The protocol version that its machine used last; null: none yet, or a local node.',
    }),
    version: z.string().nullable().meta({
      description:
        "The version of Gatehouse on its machine, as last reported; null: not reported, or it is the panel's own.",
    }),
    load_percent: z.int().min(0).nullable().meta({
      description:
        'The load average of its machine over the last minute per processor core, in percent, when its counters were last read: above 100, work is waiting. Null unless it is up, and if its machine does not report it (Windows).',
    }),
    clock_offset_ms: z.int().nullable().meta({
      description:
        "How far the clock of its machine is ahead of the panel's, in ms, accurate to half a round trip; negative: behind. The machine ends terms by its own clock while the panel is away. Null unless it is up, for a local node, and if its machine does not report it.",
    }),
    links_certificate: z
      .object({
        not_after: s.instant.nullable().meta({ description: 'When it expires; null: there is none yet.' }),
        ends_soon: z.boolean().meta({
          description:
            'Whether it should have been renewed: a quarter of its lifetime is left, or 14 days of one that is not by ACME.',
        }),
        failure: acmeFailureCode
          .nullable()
          .meta({ description: 'Why the last order by ACME failed; null: it succeeded, or none is ordered.' }),
      })
      .meta({ id: 'NodeLinksCertificate', description: 'The certificate of a machine that serves links.' })
      .nullable()
      .meta({
        description:
          'The certificate of its machine for links, as last reported; null: it serves no links, or does not report it (a local node).',
      }),
    ledger: z
      .object({
        entries: z.int().min(0).meta({ description: 'Counters that were not acknowledged.' }),
        bytes: s.bytes.meta({ description: 'The bytes in them since the previous reading.' }),
        since: s.instant
          .nullable()
          .meta({ description: 'The previous contact; null: nothing waited, or it was the first.' }),
      })
      .meta({ id: 'NodeLedger', description: 'Traffic that waits at the machine of a node to be counted.' })
      .nullable()
      .meta({
        description:
          'Traffic that its machine had recorded and the panel had not, when its counters were last read; it is counted then. Null: it does not report it (a local node), or has not yet.',
      }),
    traffic: z
      .object({
        today: s.updown.meta({ description: "Today, in the panel's time zone." }),
        month: s.updown.meta({ description: 'In this calendar month.' }),
      })
      .meta({ id: 'NodeRecentTraffic', description: 'The recent traffic of a node, in bytes.' }),
    restored_at: s.instant.nullable().meta({
      description:
        'When its ledger last showed that its machine was restored from an old copy; null: never. No traffic is counted twice.',
    }),
    implausible_traffic: z
      .object({
        up: s.bytes.meta({ description: 'Bytes up.' }),
        down: s.bytes.meta({ description: 'Bytes down.' }),
        last_at: s.instant.meta({ description: 'When there was some last.' }),
      })
      .meta({
        id: 'NodeImplausibleTraffic',
        description: 'Traffic that a node reported beyond what its line can carry, since it was added.',
      })
      .nullable()
      .meta({
        description:
          'What it reported beyond what a line of the setting `node_line_gbps` can carry in the time between two readings, of users and of inbounds. It is counted nowhere else. Null: none.',
      }),
    last_restart: nodeRestart.nullable().meta({
      description: 'When and why the panel last restarted its engine, or reopened an inbound; null: it has not yet.',
    }),
    error_code: nodeErrorCode.nullable().meta({ description: 'The problem; null: none.' }),
    error: z.string().nullable().meta({
      description: 'The message of the engine or the system; for a key with Read access the code.',
    }),
    created_at: s.createdAt,
    updated_at: s.updatedAt,
  })
  .meta({ id: 'Node', description: 'A proxy server.' });
export type Node = z.output<typeof node>;

export const nodeExample: Node = {
  id: 1,
  name: 'Frankfurt',
  kind: 'remote',
  address: 'de1.example.com',
  enabled: true,
  allows_private: false,
  draining: false,
  weight_percent: 100,
  note: '',
  status: 'up',
  core: { name: 'xray', version: '26.9.11' },
  uptime_s: 86_400,
  users_online: 12,
  addresses_online: 15,
  last_seen_at: '2026-11-20T10:15:00.000Z',
  poll_age_s: 0,
  pending_changes: 0,
  cut_off: ['refuse', 'reopen', 'restart'],
  joined: true,
  fingerprint: '4f2a 91bc 07de 5a10 33c8',
  protocol: '1.0',
  version: '0.1.0',
  load_percent: 37,
  clock_offset_ms: -12,
  links_certificate: { not_after: '2027-02-18T09:00:00.000Z', ends_soon: false, failure: null },
  ledger: { entries: 9, bytes: 48_000_000, since: '2026-11-20T10:14:50.000Z' },
  traffic: { today: { up: 100_000_000, down: 1_000_000_000 }, month: { up: 100_000_000, down: 1_000_000_000 } },
  restored_at: null,
  implausible_traffic: null,
  last_restart: { at: '2026-11-19T18:02:30.000Z', reason: 'cut_off', inbound_id: null, user_ids: [7] },
  error_code: null,
  error: null,
  created_at: '2026-11-20T09:00:00.000Z',
  updated_at: '2026-11-20T09:00:00.000Z',
};

const none = z.strictObject({});
const byId = s.defineIdParams('node');

export const listNodes = apiOperation({
  id: 'listNodes',
  method: 'GET',
  path: '/nodes',
  access: 'read',
  tag: 'Nodes',
  summary: 'List nodes',
  params: none,
  query: z.strictObject({ ...s.paging }),
  body: null,
  status: 200,
  output: s.defineList(node, 'NodeList'),
  headers: ['Link'],
  example: { reply: { items: [nodeExample], total: 1, limit: 100, offset: 0, next_cursor: null } },
});

export const getNode = apiOperation({
  id: 'getNode',
  method: 'GET',
  path: '/nodes/{id}',
  access: 'read',
  tag: 'Nodes',
  summary: 'Read a node',
  params: byId,
  query: none,
  body: null,
  status: 200,
  output: node,
  errors: ['not_found'],
  example: { params: { id: 1 }, reply: nodeExample },
});

export const getNodeLog = panelOperation({
  id: 'getNodeLog',
  access: 'session',
  effect: 'read',
  tag: 'Nodes',
  summary: "Read the end of an engine's log",
  description: 'For a local node: the last lines of its engine. Empty if no engine has run for it on this machine.',
  input: byId,
  output: z.object({
    lines: z.array(z.string()).max(200).meta({ description: 'At most the last 200 lines, oldest first.' }),
  }),
  errors: ['not_found'],
  example: {
    body: { id: 1 },
    reply: { lines: ['2026/11/20 10:15:00.000000 [Warning] core: Xray 26.3.27 started'] },
  },
});

export const createNode = panelOperation({
  id: 'createNode',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  proofFor: (input) => hasMember(input, ['allows_private']),
  tag: 'Nodes',
  summary: 'Add a node',
  input: z.strictObject({
    ...proof,
    ...fields,
    kind: fields.kind.default('remote'),
    enabled: fields.enabled.default(true),
    allows_private: fields.allows_private.optional(),
    draining: fields.draining.default(false),
    weight_percent: fields.weight_percent.default(100),
    note: fields.note.default(''),
  }),
  status: 201,
  output: node,
  errors: PROOF_ERRORS,
  example: {
    body: { name: 'Frankfurt', address: 'de1.example.com' },
    reply: {
      ...nodeExample,
      status: 'unknown',
      joined: false,
      fingerprint: null,
      protocol: null,
      version: null,
      load_percent: null,
      clock_offset_ms: null,
      links_certificate: null,
      ledger: null,
    },
  },
});

/** The default port of `panel node`. */
export const NODE_PORT = 8450;
/** How long a token is valid. */
export const JOIN_MINUTES = 15;

export const inviteNode = panelOperation({
  id: 'inviteNode',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Nodes',
  summary: "Create the token that joins a remote node's machine",
  description: `\`panel node join\` on that machine reads it from its standard input. It works once, for ${JOIN_MINUTES} minutes, until the panel stops or creates another one. The panel dials the address of the node during this time. A machine that was joined before is replaced.`,
  input: z.strictObject({
    ...proof,
    id: s.id,
    port: z
      .int()
      .min(1)
      .max(65_535)
      .default(NODE_PORT)
      .meta({ description: 'The address where the machine listens for the panel.' }),
  }),
  output: z.object({
    token: z.string().meta({ description: 'Shown once.' }),
    expires_at: s.instant.meta({ description: 'When it expires.' }),
  }),
  errors: [...PROOF_ERRORS, 'not_found', 'unavailable'],
  example: {
    body: { id: 1 },
    reply: {
      token: `gn1.${NODE_PORT}.${'5e'.repeat(32)}.${'a1'.repeat(32)}`,
      expires_at: '2026-11-20T10:15:00.000Z',
    },
  },
});

export const updateNode = panelOperation({
  id: 'updateNode',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  proofFor: (input) => hasMember(input, ['allows_private', 'address']),
  tag: 'Nodes',
  summary: 'Change a node',
  input: z.strictObject({
    ...proof,
    id: s.id,
    name: fields.name.optional(),
    address: fields.address.optional(),
    enabled: fields.enabled.optional(),
    allows_private: fields.allows_private.optional(),
    draining: fields.draining.optional(),
    weight_percent: fields.weight_percent.optional(),
    note: fields.note.optional(),
  }),
  output: node,
  errors: [...PROOF_ERRORS, 'not_found'],
  example: { body: { id: 1, name: 'Frankfurt 1' }, reply: { ...nodeExample, name: 'Frankfurt 1' } },
});

export const deleteNode = panelOperation({
  id: 'deleteNode',
  access: 'session',
  effect: 'write',
  tag: 'Nodes',
  summary: 'Delete a node',
  description: 'Possible only if it has no inbounds.',
  input: byId,
  status: 204,
  output: null,
  errors: ['not_found', 'node_in_use'],
  example: { body: { id: 1 } },
});
