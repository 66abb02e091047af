// The context of a read, and an open write transaction with its events and audit rows.

import type { EventActorKind, EventType } from '../../contract/event-types.ts';
import { localDay } from '../../domain/calendar.ts';
import type { ActorKind } from '../ports/audit.ts';
import type { Call } from '../ports/call.ts';
import type { EventRow } from '../ports/events.ts';
import type { UserDayCounts } from '../ports/traffic.ts';
import type { Action, Context, Env, Job, Transaction } from './context.ts';

export function createContext(env: Env, call: Call, now: number): Context {
  const { store, crypto, vault, totp } = env;
  return { env, call, now, store, settings: env.settings(), crypto, vault, totp };
}

const NO_FIELDS: readonly string[] = [];

/** Events that are counted per day. */
const COUNTED: { readonly [Type in EventType]?: keyof UserDayCounts } = {
  'user.created': 'created',
  'user.expired': 'expired',
  'user.deleted': 'deleted',
};

type Cause = Pick<EventRow, 'actorKind' | 'keyId' | 'requestId'>;
const SYSTEM: Cause = { actorKind: 'system', keyId: null, requestId: null };

const EVENT_ACTORS: Readonly<Record<ActorKind, EventActorKind>> = {
  key: 'key',
  administrator: 'administrator',
  bot: 'administrator',
  cli: 'cli',
  panel: 'system',
  unknown: 'system',
};

/** The cause of events, from the call. */
function buildCause({ actor, requestId }: Call): Cause {
  const actorKind = EVENT_ACTORS[actor.kind];
  if (actorKind === 'system') return SYSTEM;
  return { actorKind, keyId: actorKind === 'key' ? actor.id : null, requestId };
}

/** The internal actor of a job in the audit log. */
function buildJobCall(job: Job): Call {
  const name = job === 'bot' || job === 'broadcast' ? 'bot' : 'panel';
  return { actor: { kind: 'panel', id: null, name, access: 'full' }, requestId: job, address: null };
}

/** Must be called inside `store.write`, outside of tests by `transact` only. */
export function createTransaction(env: Env, { name: action, by }: Action, now: number): Transaction {
  const { store } = env;
  const call = typeof by === 'string' ? buildJobCall(by) : by;
  const cause = buildCause(call);
  const countUser = (type: EventType, at: number) => {
    const what = COUNTED[type];
    if (what) store.userDays.add(localDay(at, env.settings().timeZone), what, 1);
  };
  let pendingEvents: Omit<EventRow, 'id'>[] | null = null;
  const append = (event: Omit<EventRow, 'id'>) => {
    if (pendingEvents) pendingEvents.push(event);
    else store.events.append(event, now);
  };
  const tx: Transaction = {
    ...createContext(env, call, now),
    saveSettings: (values) => {
      if (values.secretPath !== undefined) env.hideSecret?.(values.secretPath);
      store.settings.set(values);
      env.forgetSettings();
      if (values.secretPath !== undefined) env.notifyEndedSessions();
    },
    emit: (type, data, changed = NO_FIELDS) => {
      countUser(type, now);
      const names = changed.length === 0 ? '[]' : JSON.stringify(changed);
      append({ type, at: now, ...cause, changed: names, data: JSON.stringify(data) });
    },
    emitDue: (type, data, at) => {
      countUser(type, at);
      append({ type, at, ...SYSTEM, changed: '[]', data: JSON.stringify(data) });
    },
    gatherEvents: (work) => {
      const events: Omit<EventRow, 'id'>[] = [];
      pendingEvents = events;
      try {
        const result = work();
        store.events.appendAll(events, now);
        return result;
      } finally {
        pendingEvents = null;
      }
    },
    publish: (event) => env.react(tx, event),
    audit: (target, detail = {}, outcome = 'done', actor = call.actor) => {
      const { address, requestId } = call;
      return store.audit.append({
        at: now,
        actorKind: actor.kind,
        actorId: actor.id,
        actorName: actor.name,
        action,
        outcome,
        target,
        detail: JSON.stringify(detail),
        address,
        requestId,
      });
    },
  };
  return tx;
}
