// A core made of answers, for tests of the door in front of it: one administrator, one session, a few keys.
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Event } from '../../src/contract/event-types.ts';
import type { Core } from '../../src/core/kernel/core.ts';
import { PanelError } from '../../src/core/kernel/panel-error.ts';
import type { Call, Reply } from '../../src/core/ports/call.ts';
import type { DoorParts } from '../../src/door/door.ts';
import { SETTINGS } from './fake-core.ts';
import { sampleEvent, userFacts } from './sample-events.ts';

export const SESSION = 'S'.repeat(86);
export const NEXT_SESSION = 'N'.repeat(86);
export const KEY_VALUE = 'pnl_4fTqVb0Zc8LmXy2Wd6KpRs1Ht9Gj3Nf5Qa7Ue0aB1cD';

export interface Dispatched {
  readonly id: string;
  readonly input: unknown;
  readonly call: Call;
}

/** What a test may change; `answers` by operation id come before the stub's own. */
export interface Stub {
  readonly core: Omit<DoorParts['core'], 'authenticateKey' | 'recordKeyUse' | 'subscription'>;
  readonly dispatched: Dispatched[];
  readonly answers: Map<string, (call: Call, input: unknown) => Reply | Promise<Reply>>;
  /** Sessions that are open. */
  readonly sessions: Set<string>;
  /** Calls of authenticateSession that counted as use. */
  uses: number;
  isSetUp: boolean;
  hasTwoFactor: boolean;
  /** Files of backups by name; what was sent last is called `uploaded`. */
  readonly backups: Map<string, Buffer>;
  readonly events: Event[];
  /** Events up to this id are no longer kept. */
  prunedUpTo: number;
  /** Stores an event and tells subscribers of it. */
  emit(id: number): void;
  /** Ends a session before its time. */
  endSession(token: string): void;
  /** When sessions end by time; undefined: never. */
  sessionsEndAt?: number;
  /** How many hear of events. */
  subscribers(): number;
}

const AT = Date.UTC(2026, 10, 20, 10, 15);
const at = (minutes: number) => new Date(AT + minutes * 60_000).toISOString();

export function buildKey(changes: object = {}) {
  return {
    id: 1,
    name: 'billing bot',
    access: 'full',
    prefix: 'pnl_4fTq',
    state: 'active',
    created_at: at(0),
    expires_at: at(60 * 24 * 90),
    revoked_at: null,
    last_used_at: at(60),
    last_used_from: '192.168.1.20',
    ...changes,
  };
}

function buildSession(changes: object = {}) {
  return {
    id: 1,
    current: true,
    address: '192.168.1.4',
    device: 'Firefox on Linux',
    created_at: at(-300),
    last_seen_at: at(0),
    ends_at: at(720),
    ...changes,
  };
}

export function createStub(settings: Partial<typeof SETTINGS> = {}): Stub {
  const listeners = new Set<(event: Event) => void>();
  const endListeners = new Set<() => void>();
  const ok = (body: unknown, status = 200): Reply => ({ status, body });
  const own: Readonly<Record<string, (call: Call, input: unknown) => Reply>> = {
    panelState: ({ actor }) => {
      const isSignedIn = actor.kind === 'administrator';
      return ok({
        version: '0.1.0',
        language: 'en',
        panel_title: 'Gatehouse',
        set_up: stub.isSetUp,
        two_factor: stub.hasTwoFactor,
        signed_in: isSignedIn ? { name: actor.name } : null,
        base_url: isSignedIn ? stub.core.baseUrl() : null,
        command: 'panel',
        disk_full: false,
      });
    },
    setUp: () => ({ status: 201, body: { name: 'admin' }, sessionToken: NEXT_SESSION }),
    signIn: () => ({ status: 200, body: { name: 'admin' }, sessionToken: NEXT_SESSION }),
    signOut: () => ({ status: 204, body: undefined, sessionToken: null }),
    listKeys: () =>
      ok({
        items: [
          buildKey(),
          buildKey({
            id: 2,
            name: 'Grafana',
            access: 'read',
            expires_at: null,
            last_used_at: null,
            last_used_from: null,
          }),
          buildKey({ id: 3, name: 'old bot', state: 'revoked', revoked_at: at(90) }),
        ],
      }),
    createKey: () => ok({ key: buildKey({ id: 4, name: 'shop' }), value: KEY_VALUE }, 201),
    revokeKey: () => ok(buildKey({ state: 'revoked', revoked_at: at(90) })),
    listSessions: () =>
      ok({ items: [buildSession(), buildSession({ id: 2, current: false, device: 'Safari on iPhone' })] }),
    endSession: () => ({ status: 204, body: undefined }),
    endOtherSessions: () => ok({ ended: 1 }),
  };
  const stub: Stub = {
    dispatched: [],
    answers: new Map(),
    sessions: new Set([SESSION]),
    uses: 0,
    isSetUp: true,
    hasTwoFactor: false,
    backups: new Map(),
    events: [],
    prunedUpTo: 0,
    subscribers: () => listeners.size + endListeners.size,
    endSession(token) {
      stub.sessions.delete(token);
      for (const listener of endListeners) listener();
    },
    emit(id) {
      const event = sampleEvent('user.expired', userFacts(id), id);
      stub.events.push(event);
      for (const listener of listeners) listener(event);
    },
    core: {
      bot: { inviteBehind: () => Promise.resolve(null), friendLink: () => Promise.resolve(null) },
      shop: {
        order: () => null,
        pay: () => Promise.reject(new Error('nothing is sold')),
        pollOrder: () => Promise.resolve(),
        isWebhookToken: () => false,
        hint: () => Promise.resolve(false),
        enterPromo: () => Promise.reject(new Error('nothing is sold')),
        removePromo: () => Promise.reject(new Error('nothing is sold')),
        buy: () => Promise.reject(new Error('nothing is sold')),
      },
      call: ((id: string, input: unknown, call: Call) => {
        stub.dispatched.push({ id, input, call });
        const answer = stub.answers.get(id) ?? own[id];
        if (answer === undefined) throw new PanelError('internal');
        return answer(call, input);
      }) as Core['call'],
      authenticateSession(token, isUse = true) {
        if (isUse) stub.uses += 1;
        const isOpen = stub.sessions.has(token);
        if (!isOpen) return null;
        const end = stub.sessionsEndAt === undefined ? {} : { sessionEndsAt: stub.sessionsEndAt };
        return { kind: 'administrator', id: 1, name: 'admin', access: 'full', sessionId: 1, ...end };
      },
      settings: () => ({ ...SETTINGS, ...settings }),
      baseUrl: () => `https://192.168.1.10:8443/${SETTINGS.secretPath}/api/v1`,
      recordFailedKey: () => {},
      recordLinkRead: () => {},
      onEndedSessions(listener) {
        endListeners.add(listener);
        return () => endListeners.delete(listener);
      },
      subscribe(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      eventsAfter: (after, limit) =>
        after < stub.prunedUpTo ? null : stub.events.filter(({ id }) => id > after).slice(0, limit),
      latestEventId: () => stub.events.at(-1)?.id ?? 0,
      backupFiles: {
        open: async (name, call) => {
          stub.dispatched.push({ id: 'downloadBackup', input: name, call });
          const bytes = stub.backups.get(name);
          if (bytes === undefined) throw new PanelError('not_found');
          return { sizeBytes: bytes.length, chunks: Readable.from([bytes]) };
        },
        receive: async (chunks, call) => {
          stub.dispatched.push({ id: 'uploadBackup', input: null, call });
          const bytes = await buffer(chunks);
          stub.backups.set('uploaded', bytes);
          const size = { size_bytes: bytes.length, encrypted: false, secrets: null };
          return { name: 'uploaded', kind: 'uploaded', created_at: at(0), ...size };
        },
      },
      figures: () => ({
        users: { active: 3900, on_hold: 12, limited: 40, expired: 300, disabled: 60 },
        usersOnline: 186,
        traffic: { up: 0, down: 0 },
        nodes: [],
        nodeTraffic: [],
        inboundTraffic: [],
        keys: { read: 1, full: 1 },
        databaseBytes: 0,
        isDiskFull: false,
        epoch: 1,
      }),
    },
  };
  return stub;
}
