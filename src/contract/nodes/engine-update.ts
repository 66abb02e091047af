// Updates of engines on nodes' machines: one node at a time, ended by the first failure.
import { z } from 'zod';
import { PROOF_ERRORS, proof } from '../access/proof.ts';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';

/** The programs that applications are built on. */
export const CLIENT_CORES = ['xray', 'sing-box', 'mihomo'] as const;

export const ENGINE_ABILITIES = [
  'grpc',
  'httpupgrade',
  'xhttp',
  'xhttp_obfuscation',
  'reality',
  'vision',
  'vless_encryption',
  'mldsa65',
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
    'Features that not every engine has. `shadowsocks`, `shadowsocks_2022` and `wireguard`: with several users. `addresses`: reports the addresses of users.',
});

const cutOff = z
  .object({
    total: z.int().meta({ description: 'Users who may connect and have an inbound of the node.' }),
    users: z.int().meta({
      description:
        'Of these, users whose app connects through the node now, would not afterwards, and keeps no inbound of another node that is up, even if that one gets the same engine.',
    }),
    unknown: z.int().meta({ description: 'Of the total, users whose app is not known.' }),
    reasons: z
      .array(
        z.object({
          core: z.enum(CLIENT_CORES).meta({ description: 'The program that their apps are built on.' }),
          fingerprint: z
            .string()
            .nullable()
            .meta({ description: 'The fingerprint of their inbounds, if another one would work; null: none would.' }),
          users: z.int().meta({ description: 'The number of such users.' }),
        }),
      )
      .meta({ description: 'Why, by the number of users.' }),
  })
  .meta({ id: 'EngineCutOff', description: 'Users whom another engine of a node cuts off.' });

const ENGINE_NAME = /^(?:xray|v2ray)-\d{1,5}\.\d{1,5}\.\d{1,5}$/;
const engineName = z
  .string()
  .regex(ENGINE_NAME)
  .meta({ description: 'An engine with its version, as in `xray-26.3.27`.' });

/** Enough for any fleet that is updated one node at a time. */
const MAX_NODES = 500;
const nodeIds = z
  .array(s.id)
  .min(1)
  .max(MAX_NODES)
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
    '`waiting`: not started yet. `running`: being downloaded, tested, or watched for a minute. `switched`: the node uses the new engine. `same`: it used it before. `refused`: the engine does not start with the present configuration; nothing was changed. `taken_back`: it did not keep running, and the previous one is used again. `failed`: it could not be installed. `skipped`: an earlier node failed, or the update was stopped.',
});
export type EngineStepState = z.output<typeof stepState>;

const engineUpdate = z
  .object({
    engine: engineName.nullable().meta({ description: 'The engine to install; null: the previous one of each node.' }),
    is_running: z.boolean().meta({ description: 'Whether a node is being updated.' }),
    steps: z.array(
      z.object({
        node_id: s.id.meta({ description: 'The node.' }),
        state: stepState,
        reason: z.string().meta({ description: 'The error message of the engine or the machine; else empty.' }),
      }),
    ),
  })
  .meta({ id: 'EngineUpdate', description: 'An update of the engines of nodes.' });
export type EngineUpdate = z.output<typeof engineUpdate>;

const STEP = { node_id: 1, state: 'running', reason: '' } as const;

export const previewEngineUpdate = panelOperation({
  id: 'previewEngineUpdate',
  access: 'session',
  effect: 'write',
  tag: 'Nodes',
  summary: 'Preview an update of engines and its effect on users',
  description:
    'Requests it from the machines of all joined nodes, and from the panel for local ones, which share one engine. Changes nothing.',
  input: z.strictObject({
    engine: engineName
      .nullable()
      .default(null)
      .meta({ description: 'The engine to compare with the one of each node; null: none.' }),
  }),
  output: z.object({
    offered: z
      .array(engineName)
      .meta({ description: 'The engines that the releases of Gatehouse on the machines can install, newest first.' }),
    nodes: z.array(
      z.object({
        node_id: s.id.meta({ description: 'The node.' }),
        current: engineName.nullable().meta({ description: 'Its engine; null: unknown.' }),
        former: engineName.nullable().meta({ description: 'Its previous engine, to which it can return; null: none.' }),
        offered: z.array(engineName).meta({ description: 'The engines that its machine can install.' }),
        problem: z.enum(['unreachable', 'own_path']).nullable().meta({
          description:
            'Why it cannot be updated by the panel; null: it can. `unreachable`: its machine does not answer. `own_path`: its service, or the settings of the panel, name a custom engine path.',
        }),
        gained: z.array(ability).meta({ description: 'Features that the other engine adds.' }),
        lost: z.array(ability).meta({ description: 'Features that it lacks.' }),
        unserved: z.array(s.id).meta({ description: 'Inbounds of the node that it cannot serve, by id.' }),
        cut_off: cutOff.nullable().meta({
          description:
            'Users whom it cuts off, by measurements with engines and apps, and by the app that last read their link; null: no engine to compare with.',
        }),
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
          cut_off: {
            total: 4100,
            users: 312,
            unknown: 20,
            reasons: [
              { core: 'sing-box', fingerprint: null, users: 298 },
              { core: 'xray', fingerprint: 'edge', users: 14 },
            ],
          },
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
  summary: 'Update the engines of nodes one after another',
  description:
    'Each machine downloads the engine, verifies its SHA-256, tests it with the present configuration, switches, and watches it for a minute; if it does not keep running, the machine returns to the previous one. Then the next node follows; the first failure ends the update. If an update is running already, it is returned and none is started. It continues without the page, and ends when the panel stops.',
  input: z.strictObject({
    ...proof,
    node_ids: nodeIds,
    engine: engineName.nullable().meta({ description: 'null: the previous one of each node.' }),
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
  summary: 'Read the progress of an update of engines',
  input: z.strictObject({}),
  output: z.object({
    update: engineUpdate.nullable().meta({ description: 'The last update since the panel started; null: none.' }),
  }),
  example: { body: {}, reply: { update: { engine: 'xray-26.9.11', is_running: true, steps: [STEP] } } },
});

export const stopEngineUpdate = panelOperation({
  id: 'stopEngineUpdate',
  access: 'session',
  effect: 'write',
  tag: 'Nodes',
  summary: 'Stop an update of engines after the current node',
  input: z.strictObject({}),
  status: 204,
  output: null,
  example: { body: {} },
});
