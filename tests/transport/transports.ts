// Two ways to one panel, each with the means to take it away and bring it back: what the laws of transports are judged over.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PanelTransport } from '../../src/bridge/panel-transport.ts';
import { parseInput, splitInput } from '../../src/contract/input/input.ts';
import { OPERATIONS } from '../../src/contract/table.ts';
import type { Call, HandledId } from '../../src/core/call.ts';
import { createIpcSession } from '../../src/main/ipc-session.ts';
import { openPanel, type Panel } from '../../src/panel/panel.ts';
import { createHttpTransport } from '../../src/renderer/src/bridge/transport-http.ts';
import { createIpcTransport } from '../../src/renderer/src/bridge/transport-ipc.ts';
import { CHEAP_COST } from '../support/cheap-password.ts';
import { fakeIpc } from './fake-ipc.ts';

export const ADMIN = { name: 'admin', password: 'correct horse battery staple' };

export interface OpenTransport extends AsyncDisposable {
  readonly transport: PanelTransport;
  /** What the transport said of the panel being within reach, one word after the other. */
  readonly reach: readonly string[];
  /** Acts beside the transport, as another hand. */
  act(id: HandledId, input: unknown): Promise<unknown>;
  /** Ends every session, as a reset of the password does. */
  endSessions(): Promise<void>;
  /** The panel is out of reach, also for what is open; until `restore`. */
  lose(): void;
  restore(): void;
  /** Puts a panel of another life in its place, with fewer events than there were, where the administrator is signed in. */
  renew(): Promise<void>;
}

interface Connection {
  readonly transport: PanelTransport;
  readonly isInside: boolean;
  connect(panel: Panel): void;
  lose(): void;
  restore(): void;
}

export const openHttpTransport = () => openTransport(connectByHttp);
export const openIpcTransport = () => openTransport(connectByIpc);

async function openTransport(connectionOf: (reach: string[]) => Connection): Promise<OpenTransport> {
  const parent = mkdtempSync(join(tmpdir(), 'gatehouse-transport-'));
  const reach: string[] = [];
  const connection = connectionOf(reach);
  let lives = 0;
  let panel: Panel;
  const begin = async () => {
    lives += 1;
    panel = await openPanel({
      folder: join(parent, String(lives)),
      keyFile: join(parent, 'master.key'),
      host: '127.0.0.1',
      port: 0,
      plainHttp: true,
      rateLimit: 0,
      isInside: connection.isInside,
      passwordCost: CHEAP_COST,
    });
    await panel.core.local.setUp(ADMIN.name, ADMIN.password);
    connection.connect(panel);
  };
  await begin();
  const call: Call = {
    actor: { kind: 'administrator', id: 1, name: 'admin', access: 'full' },
    requestId: 'test',
    address: null,
  };
  return {
    transport: connection.transport,
    reach,
    async act(id, input) {
      const parsed = parseInput(OPERATIONS[id], splitInput(OPERATIONS[id], input));
      if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors));
      return (await panel.core.call(id, parsed.value, call)).body;
    },
    async endSessions() {
      await panel.core.local.resetPassword(ADMIN.password);
    },
    lose: connection.lose,
    restore: connection.restore,
    async renew() {
      connection.lose();
      await panel.close();
      await begin();
      connection.restore();
      await connection.transport.call('signIn', ADMIN);
    },
    async [Symbol.asyncDispose]() {
      connection.lose();
      await panel.close();
      rmSync(parent, { recursive: true, force: true });
    },
  };
}

/** A browser's fetch: a jar for the cookie, the headers that a page of the panel sends, a wire that can be cut. */
function connectByHttp(reach: string[]): Connection {
  const BASE = 'https://panel.test/panel/';
  let panelUrl = '';
  let cookie: string | null = null;
  let wire = new AbortController();
  let isLost = false;
  const fetchOverWire: typeof fetch = async (input, init = {}) => {
    if (isLost) throw new TypeError('fetch failed');
    const headers = new Headers(init.headers);
    headers.set('Origin', new URL(panelUrl).origin);
    if (cookie !== null) headers.set('Cookie', cookie);
    const signal = init.signal ? AbortSignal.any([init.signal, wire.signal]) : wire.signal;
    const url = `${panelUrl}panel/${String(input).slice(BASE.length)}`;
    const response = await fetch(url, { ...init, headers, signal });
    const set = response.headers.getSetCookie()[0]?.split(';')[0];
    if (set !== undefined) cookie = set.endsWith('=') ? null : set;
    return response;
  };
  return {
    isInside: false,
    transport: createHttpTransport({
      base: BASE,
      fetch: fetchOverWire,
      reach: { onReach: (word) => reach.push(word), onServerTime: () => {} },
      random: () => 0,
    }),
    connect(panel) {
      panelUrl = panel.panelUrl;
    },
    lose() {
      isLost = true;
      wire.abort(new TypeError('fetch failed'));
    },
    restore() {
      isLost = false;
      wire = new AbortController();
    },
  };
}

function connectByIpc(reach: string[]): Connection {
  const ipc = fakeIpc();
  return {
    isInside: true,
    transport: createIpcTransport({
      api: ipc.api,
      reach: { onReach: (word) => reach.push(word), onServerTime: () => {} },
    }),
    connect: (panel) => ipc.serve(createIpcSession(panel, { device: 'test' })),
    lose: ipc.cut,
    restore: ipc.mend,
  };
}
