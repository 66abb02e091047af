// Engines of nodes' machines, brought to another version by the panel: one node at a time, and no further after the first failure.
import { z } from 'zod';
import { PROOF_ERRORS, proof } from '../access/proof.ts';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';

export const ENGINE_ABILITIES = [
  'grpc',
  'httpupgrade',
  'xhttp',
  'reality',
  'vision',
  'shadowsocks',
  'shadowsocks_2022',
  'hysteria2',
  'wireguard',
  'addresses',
] as const;
export type EngineAbility = (typeof ENGINE_ABILITIES)[number];
const ability = z.enum(ENGINE_ABILITIES).meta({
  id: 'EngineAbility',
  description:
    'What not every engine has. `shadowsocks`, `shadowsocks_2022` and `wireguard`: with several users. `addresses`: it reports from where users are connected.',
});

const ENGINE_NAME = /^(?:xray|v2ray)-\d{1,5}\.\d{1,5}\.\d{1,5}$/;
const engineName = z
  .string()
  .regex(ENGINE_NAME)
  .meta({ description: 'An engine with its version, as in `xray-26.3.27`.' });

/** Many enough for any fleet that is updated one node at a time. */
const MOST_NODES = 500;
const nodeIds = z
  .array(s.id)
  .min(1)
  .max(MOST_NODES)
  .refine((ids) => new Set(ids).size === ids.length, { message: 'must not repeat an id' })
  .meta({ description: 'The nodes by their ids, in the order in which they are updated.' });

export const ENGINE_STEP_STATES = [
  'waiting',
  'running',
  'switched',
  'same',
  'refused',
  'taken_back',
  'failed',
  'skipped',
] as const;
const stepState = z.enum(ENGINE_STEP_STATES).meta({
  id: 'EngineStepState',
  description:
    '`waiting`: its turn is to come. `running`: it is downloaded, tried, or watched for a minute. `switched`: the node uses it. `same`: it did before. `refused`: it would not start with the present configuration; nothing was changed. `taken_back`: it did not stay up, and the one before is used again. `failed`: it could not be brought there. `skipped`: an earlier node failed, or the update was stopped.',
});
export type EngineStepState = z.output<typeof stepState>;

const engineUpdate = z
  .object({
    engine: engineName
      .nullable()
      .meta({ description: 'What is brought to the nodes; null: the one that each used before.' }),
    is_running: z.boolean().meta({ description: 'Whether a node is being updated.' }),
    steps: z.array(
      z.object({
        node_id: s.id.meta({ description: 'The node.' }),
        state: stepState,
        reason: z
          .string()
          .meta({ description: "What went wrong, in the engine's or the machine's own words; else empty." }),
      }),
    ),
  })
  .meta({ id: 'EngineUpdate', description: 'An update of engines over nodes.' });
export type EngineUpdate = z.output<typeof engineUpdate>;

const STEP = { node_id: 1, state: 'running', reason: '' } as const;

export const previewEngineUpdate = panelOperation({
  id: 'previewEngineUpdate',
  access: 'session',
  effect: 'write',
  tag: 'Nodes',
  summary: 'See which engines nodes can be given, and what that changes for users',
  description: 'Asks the machines of all remote nodes that were joined. Nothing is changed.',
  input: z.strictObject({
    engine: engineName
      .nullable()
      .default(null)
      .meta({ description: 'To be compared with what each node runs; null: nothing.' }),
  }),
  output: z.object({
    offered: z
      .array(engineName)
      .meta({ description: 'What the releases of Gatehouse on the machines can bring, the newest first.' }),
    nodes: z.array(
      z.object({
        node_id: s.id.meta({ description: 'The node.' }),
        current: engineName.nullable().meta({ description: 'What it runs; null: not known.' }),
        former: engineName
          .nullable()
          .meta({ description: 'What it ran before, to which it can go back; null: nothing.' }),
        offered: z.array(engineName).meta({ description: 'What its machine can bring.' }),
        problem: z.enum(['unreachable', 'old_version', 'own_path']).nullable().meta({
          description:
            'Why it cannot be updated from here; null: it can. `unreachable`: its machine does not answer. `old_version`: Gatehouse there does not know how. `own_path`: its service was started with a program of its own.',
        }),
        gained: z.array(ability).meta({ description: 'What the other engine gives.' }),
        lost: z.array(ability).meta({ description: 'What it takes.' }),
        unserved: z.array(s.id).meta({ description: 'Connections of the node that it could not serve, by their ids.' }),
      }),
    ),
  }),
  example: {
    body: { engine: 'xray-26.9.11' },
    reply: {
      offered: ['xray-26.9.11'],
      nodes: [
        {
          node_id: 1,
          current: 'xray-26.3.27',
          former: null,
          offered: ['xray-26.9.11'],
          problem: null,
          gained: ['wireguard'],
          lost: [],
          unserved: [],
        },
      ],
    },
  },
});

export const updateEngines = panelOperation({
  id: 'updateEngines',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Nodes',
  summary: 'Bring another engine to nodes, one after the other',
  description:
    'Each machine downloads it, compares its SHA-256, tries the present configuration with it, switches, and watches it for a minute; it goes back by itself where it does not stay up. The next node follows when that is well; the first failure ends the update. Where one is running already, that is the answer, and nothing is begun. It goes on without the page, and ends with the panel.',
  input: z.strictObject({
    ...proof,
    node_ids: nodeIds,
    engine: engineName.nullable().meta({ description: 'null: the one that each node used before.' }),
  }),
  output: engineUpdate,
  errors: [...PROOF_ERRORS, 'not_found'],
  example: {
    body: { node_ids: [1], engine: 'xray-26.9.11' },
    reply: { engine: 'xray-26.9.11', is_running: true, steps: [STEP] },
  },
});

export const getEngineUpdate = panelOperation({
  id: 'getEngineUpdate',
  access: 'session',
  effect: 'read',
  tag: 'Nodes',
  summary: 'See how far an update of engines has come',
  input: z.strictObject({}),
  output: z.object({
    update: engineUpdate.nullable().meta({ description: 'The last one since the panel started; null: none.' }),
  }),
  example: { body: {}, reply: { update: { engine: 'xray-26.9.11', is_running: true, steps: [STEP] } } },
});

export const stopEngineUpdate = panelOperation({
  id: 'stopEngineUpdate',
  access: 'session',
  effect: 'write',
  tag: 'Nodes',
  summary: 'End an update of engines after the present node',
  input: z.strictObject({}),
  status: 204,
  output: null,
  example: { body: {} },
});
