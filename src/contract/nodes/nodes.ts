// Nodes on the wire: read through the API, changed in the panel only.
import { z } from 'zod';
import { PROOF_ERRORS, proof } from '../access/proof.ts';
import { apiOperation, panelOperation } from '../operation.ts';
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
] as const;

const nodeErrorCode = z.enum(NODE_ERROR_CODES).meta({
  id: 'NodeErrorCode',
  description:
    '`engine_missing`: there is no such program. `engine_unreachable`: it does not answer, or not in time. `engine_crashed`: it ended by itself. `config_refused`: it refused the configuration, and goes on with the one before. `port_taken`: another program has the port of a connection. `engine_refused`: it refused a user or a request. `other_version`: the machine of the node and the panel speak versions of their protocol that do not go together.',
});
export type NodeErrorCode = z.output<typeof nodeErrorCode>;

const CUT_OFFS = ['refuse', 'cut', 'restart'] as const;
const cutOff = z.enum(CUT_OFFS).meta({
  id: 'NodeCutOff',
  description:
    '`refuse`: it refuses new connections, at once. `cut`: it ends the open ones of this user alone. `restart`: the open ones end when it restarts, and those of all its users with them.',
});
export type CutOff = z.output<typeof cutOff>;

const RESTART_REASONS = ['cut_off', 'configuration', 'unknown_state'] as const;
const restartReason = z.enum(RESTART_REASONS).meta({
  id: 'NodeRestartReason',
  description:
    '`cut_off`: users who may not connect went on moving bytes. `configuration`: a connection or the node was changed. `unknown_state`: it was started by something else than this panel, or was away for too many changes.',
});
export type NodeRestartReason = z.output<typeof restartReason>;

const NODE_UPDATES = ['ledger', 'lease', 'wireguard', 'difference', 'weight', 'certificate', 'engine'] as const;
const nodeUpdate = z.enum(NODE_UPDATES).meta({
  id: 'NodeUpdate',
  description:
    '`ledger`: it writes down what its engine counts, so that nothing is lost while the panel is away. `lease`: it ends terms and limits and begins held terms by itself while the panel is away. `wireguard`: it knows connections of WireGuard. `difference`: where connections change, it is not sent all users again. `weight`: it counts by `weight_percent` while the panel is away. `certificate`: it says how the certificate of its links is. `engine`: the panel can bring another engine there.',
});
export type NodeUpdate = z.output<typeof nodeUpdate>;

/** How many users a restart names at most. */
export const MOST_CUT_OFF = 100;

export const nodeRestart = z
  .object({
    at: s.instant.meta({ description: 'When the engine was stopped for it.' }),
    reason: restartReason,
    user_ids: z
      .array(s.id)
      .max(MOST_CUT_OFF)
      .meta({
        description: `With \`cut_off\` the users who moved bytes, by id, at most ${MOST_CUT_OFF}; some may be deleted since. Else empty.`,
      }),
  })
  .meta({
    id: 'NodeRestart',
    description: 'That the panel restarted an engine, which ends all connections through it.',
  });

const NOTE = 'A remark for those who operate the panel.';

const fields = {
  name: s.name,
  kind: z
    .enum(NODE_KINDS)
    .meta({ id: 'NodeKind', description: "`local`: the engine on the panel's machine. `remote`: on another one." }),
  address: s.hostName.meta({ description: "What users' links point at unless a connection names its own." }),
  enabled: z.boolean().meta({ description: 'false: it serves no users.' }),
  allows_private: z.boolean().meta({
    description:
      "Whether users may reach private and local addresses through it, those of the node's own network and machine.",
  }),
  draining: z.boolean().meta({
    description:
      'true: it serves on, but is left out of subscription links, so that clients leave it with their next update. Users who would be left without any connection keep it.',
  }),
  weight_percent: z.int().min(0).max(1000).meta({
    description:
      "What traffic over it counts for, in percent: so much of it uses up the users' limits and grants, and is in their `used_up` and `used_down`. 100: as it is. 0: nothing. `total_up` and `total_down`, statistics and the traffic of nodes and connections are the bytes that moved.",
  }),
  note: s.note.meta({ description: NOTE }),
};

export const node = z
  .object({
    id: s.idOf('node'),
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
      .meta({ description: 'The engine it runs; null while unknown.' }),
    uptime_s: z
      .int()
      .min(0)
      .nullable()
      .meta({ description: 'Seconds since its engine started; null unless it is up.' }),
    users_online: z.int().min(0).meta({ description: 'How many users are connected to it; 0 unless it is up.' }),
    addresses_online: z.int().min(0).nullable().meta({
      description:
        'From how many addresses users are connected to it now, an address that two users share counted twice; null where its engine does not report it (v2ray, and Xray before 26.1.13), or has not yet.',
    }),
    last_seen_at: s.instant.nullable().meta({ description: 'When its counters were last read; null: never.' }),
    poll_age_s: z
      .int()
      .min(0)
      .nullable()
      .meta({ description: 'Seconds since its counters were last read, which is every 10 seconds; null: never.' }),
    pending_changes: z.int().min(0).nullable().meta({
      description:
        'Changes of users that its engine has not been told of yet; null: it has to be started first, with all users.',
    }),
    cut_off: z.array(cutOff).nullable().meta({
      description: 'What its engine can do when a user may no longer connect; null while that is unknown.',
    }),
    joined: z.boolean().meta({
      description: 'Whether the panel and its machine know each other; true for a local node.',
    }),
    protocol: z.string().nullable().meta({
      description: 'The version of the protocol that its machine spoke last; null: none yet, or a local node.',
    }),
    version: z.string().nullable().meta({
      description:
        "The version of Gatehouse on its machine, as last reported; null: not reported, or it is the panel's own.",
    }),
    load_percent: z.int().min(0).nullable().meta({
      description:
        'The load of its machine in the last minute by processor core, in percent, when its counters were last read: over 100, work waits. Null unless it is up, and where its machine does not tell (Windows, and Gatehouse before protocol 1.4).',
    }),
    clock_offset_ms: z.int().nullable().meta({
      description:
        "How far the clock of its machine is ahead of the panel's, in ms, as exact as half the time that a question takes; negative: behind. By its own clock it ends terms while the panel is away. Null unless it is up, for a local node, and where its machine does not tell.",
    }),
    links_certificate: z
      .object({
        not_after: s.instant.nullable().meta({ description: 'When it ends; null: there is none yet.' }),
        ends_soon: z.boolean().meta({
          description:
            'Whether it should have been replaced by now: a quarter of its lifetime is left, or 14 days of one that is not by ACME.',
        }),
        failure: acmeFailureCode
          .nullable()
          .meta({ description: 'Why the last order by ACME failed; null: it did not, or none is ordered.' }),
      })
      .meta({ id: 'NodeLinksCertificate', description: 'The certificate of links that a machine serves.' })
      .nullable()
      .meta({
        description:
          'The certificate of the links that its machine serves, as last reported; null: it serves none, or does not report it (a local node, and Gatehouse before protocol 1.5).',
      }),
    ledger: z
      .object({
        entries: z.int().min(0).meta({ description: 'Counters of users that were not acknowledged.' }),
        bytes: s.bytes.meta({ description: 'What users had moved in them since they were read before.' }),
        since: s.instant
          .nullable()
          .meta({ description: 'The contact before that one; null: nothing waited, or it was the first.' }),
      })
      .meta({ id: 'NodeLedger', description: 'What waits at the machine of a node to be counted.' })
      .nullable()
      .meta({
        description:
          'What its machine had written down and the panel had not taken, when its counters were last read; it is taken then. Null: it does not report it (a local node, and Gatehouse before protocol 1.5), or has not yet.',
      }),
    traffic: z
      .object({
        today: s.updown.meta({ description: "Today, in the panel's time zone." }),
        month: s.updown.meta({ description: 'In this calendar month.' }),
      })
      .meta({ id: 'NodeRecentTraffic', description: 'What moved over a node of late, in bytes.' }),
    update_for: z.array(nodeUpdate).meta({
      description:
        'What its machine cannot do before Gatehouse is updated there; empty: nothing, or that is not known.',
    }),
    restored_at: s.instant.nullable().meta({
      description:
        'When its machine was last found to be restored from an old copy, by its ledger; null: never. Nothing counts twice by that.',
    }),
    last_restart: nodeRestart
      .nullable()
      .meta({ description: 'When and why the panel last restarted its engine; null: it has not yet.' }),
    error_code: nodeErrorCode.nullable().meta({ description: 'What is wrong; null: nothing.' }),
    error: z.string().nullable().meta({
      description: 'What is wrong, in the words of the engine or the system; for a key with Read access the code.',
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
  cut_off: ['refuse', 'restart'],
  joined: true,
  protocol: '1.5',
  version: '0.1.0',
  load_percent: 37,
  clock_offset_ms: -12,
  links_certificate: { not_after: '2027-02-18T09:00:00.000Z', ends_soon: false, failure: null },
  ledger: { entries: 9, bytes: 48_000_000, since: '2026-11-20T10:14:50.000Z' },
  traffic: { today: { up: 100_000_000, down: 1_000_000_000 }, month: { up: 100_000_000, down: 1_000_000_000 } },
  update_for: [],
  restored_at: null,
  last_restart: { at: '2026-11-19T18:02:30.000Z', reason: 'cut_off', user_ids: [7] },
  error_code: null,
  error: null,
  created_at: '2026-11-20T09:00:00.000Z',
  updated_at: '2026-11-20T09:00:00.000Z',
};

const none = z.strictObject({});
const byId = s.byIdOf('node');

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
  output: s.listOf(node, 'NodeList'),
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
  description:
    'Of a local node: the last lines its engine wrote. Empty where no engine has run for it on this machine.',
  input: byId,
  output: z.object({
    lines: z.array(z.string()).max(200).meta({ description: 'At most the last 200 lines, the oldest first.' }),
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
  proofFor: ['allows_private'],
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
      protocol: null,
      version: null,
      load_percent: null,
      clock_offset_ms: null,
      links_certificate: null,
      ledger: null,
    },
  },
});

/** Where `panel node` listens unless another port is given. */
export const NODE_PORT = 8450;
/** How long a node can be joined with a token. */
export const JOIN_MINUTES = 15;

export const inviteNode = panelOperation({
  id: 'inviteNode',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Nodes',
  summary: "Make the token by which a remote node's machine is joined",
  description: `For \`panel node join\` on that machine. It works once, within ${JOIN_MINUTES} minutes and until the panel ends or makes another one: the panel dials the address of the node meanwhile. A machine that was joined before is replaced then.`,
  input: z.strictObject({
    ...proof,
    id: s.id,
    port: z
      .int()
      .min(1)
      .max(65_535)
      .default(NODE_PORT)
      .meta({ description: 'Where the machine listens for the panel.' }),
  }),
  output: z.object({
    token: z.string().meta({ description: 'Shown once.' }),
    expires_at: s.instant.meta({ description: 'Until when it works.' }),
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
  proofFor: ['allows_private'],
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
  description: 'Only where it has no connections.',
  input: byId,
  status: 204,
  output: null,
  errors: ['not_found', 'node_in_use'],
  example: { body: { id: 1 } },
});
