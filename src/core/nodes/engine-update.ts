// Updates engines node by node; the first failure stops the update.
import type { EngineStepState, EngineUpdate } from '../../contract/nodes/engine-update.ts';
import type { Input, Output } from '../../contract/table.ts';
import { findClientCore } from '../../domain/client-app.ts';
import { countCutOff, type OtherConnection, type UserGroup } from '../../domain/nodes/engine-cut-off.ts';
import { abilityDifference, isOlder, missingFacts } from '../../domain/nodes/engine-facts.ts';
import type { AsyncContext, Env, Handlers } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import type { Result } from '../ports/call.ts';
import type { Engine, EngineJob, EngineUpdateRun, EngineUpdateStep } from '../ports/engines.ts';
import type { InboundRow } from '../ports/inbounds.ts';

type EngineUpdateEnv = Pick<Env, 'clock' | 'engines' | 'log' | 'store' | 'tasks' | 'timers' | 'turn'>;

/** How often a machine is asked for the state of its update. */
const LOOK_MS = 2000;
/** Number of unanswered requests before the update fails: the machine's network may be down for a while. */
const MAX_SILENT_LOOKS = 60;
/** Maximum duration: a download over a slow line, and the minute of observation. */
const MAX_MS = 45 * 60_000;
const WELL: ReadonlySet<EngineStepState> = new Set(['switched', 'same']);

function view({ engine, steps, isRunning }: EngineUpdateRun): EngineUpdate {
  return {
    engine,
    is_running: isRunning,
    steps: steps.map(({ nodeId, state, reason }) => ({ node_id: nodeId, state, reason })),
  };
}

/** `xray-26.3.27` */
function parseEngine(engine: string) {
  const [name = '', version = ''] = engine.split('-');
  return { name, version };
}

/** A remote machine, whose engine the panel can change. */
type MachineEngine = Required<Pick<Engine, 'programs' | 'changeProgram'>>;

function findMachine({ engines }: Pick<Env, 'engines'>, nodeId: number): MachineEngine | null {
  const engine = engines.get(nodeId);
  return engine !== undefined && hasMachine(engine) ? engine : null;
}

function hasMachine(engine: Engine): engine is Engine & MachineEngine {
  return engine.programs !== undefined && engine.changeProgram !== undefined;
}

type NodePreview = Output<'previewEngineUpdate'>['nodes'][number];

/** Users read per turn of the event loop. */
const GROUP_PART = 20_000;

/** Groups the users who may connect by their inbounds and the core of their apps. */
async function groupUsers({ store, turn }: EngineUpdateEnv): Promise<readonly UserGroup[]> {
  const groups = new Map<string, UserGroup>();
  const lastId = store.users.lastId();
  for (let afterId = 0; afterId < lastId; afterId += GROUP_PART) {
    await turn();
    for (const { inbounds, app, users } of store.linkReads.countByApp(afterId, afterId + GROUP_PART)) {
      const core = findClientCore(app);
      const key = JSON.stringify([inbounds, core]);
      groups.set(key, { inbounds, core, users: users + (groups.get(key)?.users ?? 0) });
    }
  }
  return [...groups.values()];
}

function listEnabledInbounds({ store: { inbounds } }: EngineUpdateEnv, nodeId: number): readonly InboundRow[] {
  return inbounds.page({ nodeId }, inbounds.count({ nodeId }), 0).filter(({ enabled }) => enabled);
}

/** Connections of the other nodes that are up. */
function listOtherConnections(env: EngineUpdateEnv, nodeId: number): readonly OtherConnection[] {
  const { nodes } = env.store;
  return nodes
    .page(nodes.count(), 0)
    .filter(({ id, enabled, status }) => id !== nodeId && enabled && status === 'up')
    .flatMap(({ id, coreName: name, coreVersion: version }) =>
      name === null || version === null
        ? []
        : listEnabledInbounds(env, id).map((row) => ({ ...row, engine: { name, version } })),
    );
}

async function buildPreview(
  env: EngineUpdateEnv,
  nodeId: number,
  engine: string | null,
  groups: readonly UserGroup[],
): Promise<NodePreview> {
  const none = { gained: [], lost: [], unserved: [], cut_off: null };
  const unknown = { current: null, former: null, offered: [], ...none };
  const reply = findMachine(env, nodeId)?.programs();
  const programs = reply && (await env.tasks.untilStop(reply).catch(() => null));
  if (!programs) return { node_id: nodeId, ...unknown, problem: 'unreachable' };
  const { current, former, offered, hasOwnPath } = programs;
  const facts = { node_id: nodeId, current, former, offered: [...offered] };
  if (hasOwnPath) return { ...facts, problem: 'own_path', ...none };
  if (engine === null || current === null) return { ...facts, problem: null, ...none };
  const next = parseEngine(engine);
  const inbounds = listEnabledInbounds(env, nodeId);
  const unserved = inbounds.filter((row) => missingFacts(row, next).length > 0).map(({ id }) => id);
  const present = parseEngine(current);
  const { reasons, ...counts } = countCutOff(groups, inbounds, present, next, listOtherConnections(env, nodeId));
  const cutOff = { ...counts, reasons: reasons.map((reason) => ({ ...reason })) };
  return { ...facts, problem: null, ...abilityDifference(present, next), unserved, cut_off: cutOff };
}

async function previewEngineUpdate(
  { engine }: Input<'previewEngineUpdate'>,
  { env }: AsyncContext<'previewEngineUpdate'>,
): Promise<Result<Output<'previewEngineUpdate'>>> {
  const { nodes } = env.store;
  const reached = nodes.page(nodes.count(), 0).filter(({ kind, agentPin }) => kind === 'local' || agentPin !== null);
  const groups = engine === null ? [] : await groupUsers(env);
  const previews = await Promise.all(reached.map(({ id }) => buildPreview(env, id, engine, groups)));
  const offered = [...new Set(previews.flatMap((preview) => preview.offered))].sort((a, b) =>
    isOlder(parseEngine(a).version, parseEngine(b).version) ? 1 : -1,
  );
  return { body: { offered, nodes: previews } };
}

const pause = ({ timers }: Pick<Env, 'timers'>, ms: number) =>
  new Promise<void>((resolve) => timers.after(ms, resolve));

/** Polls the machine until its job has ended. */
async function follow(env: EngineUpdateEnv, machine: MachineEngine, isOver: () => boolean): Promise<EngineJob> {
  const until = env.clock.now() + MAX_MS;
  for (let silent = 0; env.clock.now() < until && !isOver(); ) {
    await env.tasks.untilStop(pause(env, LOOK_MS));
    try {
      const { job } = await env.tasks.untilStop(machine.programs());
      silent = 0;
      // A restarted machine has lost its job.
      if (job === null) break;
      if (job.state !== 'running') return job;
    } catch (error) {
      silent += 1;
      if (silent > MAX_SILENT_LOOKS) throw error;
    }
  }
  return { name: null, state: 'failed', reason: 'its machine does not say what became of it' };
}

async function updateOne(env: EngineUpdateEnv, run: EngineUpdateRun, step: EngineUpdateStep): Promise<void> {
  const machine = findMachine(env, step.nodeId);
  try {
    if (machine === null) throw new Error('the panel is not connected to its machine');
    await env.tasks.untilStop(machine.changeProgram(run.engine));
    const { state, reason } = await follow(env, machine, env.tasks.isStopping);
    step.state = state;
    step.reason = reason;
  } catch (error) {
    step.state = 'failed';
    step.reason = error instanceof Error ? error.message : String(error);
  }
}

async function work(env: EngineUpdateEnv, run: EngineUpdateRun): Promise<void> {
  for (const step of run.steps) {
    if (run.isStopping || env.tasks.isStopping()) break;
    step.state = 'running';
    await updateOne(env, run, step);
    env.log.info('engine of a node', {
      node: step.nodeId,
      engine: run.engine,
      outcome: step.state,
      reason: step.reason,
    });
    if (!WELL.has(step.state)) break;
  }
  for (const step of run.steps) if (step.state === 'waiting') step.state = 'skipped';
  run.isRunning = false;
}

async function updateEngines(
  { node_ids: nodeIds, engine }: Input<'updateEngines'>,
  { env, commit }: AsyncContext<'updateEngines'>,
): Promise<Result<EngineUpdate>> {
  const run: EngineUpdateRun = {
    engine,
    steps: nodeIds.map((nodeId) => ({ nodeId, state: 'waiting', reason: '' })),
    isRunning: true,
    isStopping: false,
  };
  const result = await commit((tx) => {
    if (nodeIds.some((id) => tx.store.nodes.get(id) === undefined)) throw new PanelError('not_found');
    const present = env.engineUpdate.get();
    if (present?.isRunning) return { body: view(present) };
    for (const id of nodeIds) tx.audit(`node:${id}`, { engine });
    env.engineUpdate.set(run);
    return { body: view(run) };
  });
  if (env.engineUpdate.get() === run) env.tasks.start('update of engines', () => work(env, run));
  return result;
}

export const ENGINE_UPDATE_HANDLERS = {
  previewEngineUpdate: { run: previewEngineUpdate },
  updateEngines: { run: updateEngines },
  getEngineUpdate: {
    read(_input, { env }) {
      const run = env.engineUpdate.get();
      return { body: { update: run && view(run) } };
    },
  },
  stopEngineUpdate: {
    write(_input, tx) {
      const run = tx.env.engineUpdate.get();
      if (run?.isRunning && !run.isStopping) {
        run.isStopping = true;
        tx.audit('nodes', { act: 'stop' });
      }
      return { body: undefined };
    },
  },
} satisfies Handlers<'previewEngineUpdate' | 'updateEngines' | 'getEngineUpdate' | 'stopEngineUpdate'>;
