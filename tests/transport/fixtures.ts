// A panel behind each of the two transports, with means to disconnect and reconnect it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PanelTransport } from '../../src/bridge/panel-transport.ts';
import { parseInput, splitInput } from '../../src/contract/input/input.ts';
import { OPERATIONS } from '../../src/contract/table.ts';
import type { Call, HandledId } from '../../src/core/ports/call.ts';
import { createIpcSession } from '../../src/main/ipc-session.ts';
import { openPanel, type Panel } from '../../src/panel/panel.ts';
import { createHttpTransport } from '../../src/renderer/src/bridge/transport-http.ts';
import { createIpcTransport } from '../../src/renderer/src/bridge/transport-ipc.ts';
import { CHEAP_COST } from '../support/cheap-password.ts';
import { createSessionJar } from '../support/session-jar.ts';
import { fakeIpc } from './fake-ipc.ts';

export const ADMIN = { name: 'admin', password: 'correct horse battery staple' };

export interface TransportFixture extends AsyncDisposable {
  readonly transport: PanelTransport;
  /** What the transport reported about reaching the panel, in order. */
  readonly reach: readonly string[];
  /** Calls an operation beside the transport, as another client does. */
  act(id: HandledId, input: unknown): Promise<unknown>;
  /** Ends every session, as a reset of the password does. */
  endSessions(): Promise<void>;
  /** Makes the panel unreachable, also for open watches, until `reconnect`. */
  disconnect(): void;
  reconnect(): void;
  /** Replaces the panel by a new one that has fewer events, and signs the administrator in. */
  replacePanel(): Promise<void>;
}

interface Connection {
  readonly transport: PanelTransport;
  readonly isInside: boolean;
  connect(panel: Panel): void;
  disconnect(): void;
  reconnect(): void;
}

export const openHttpFixture = () => openFixture(connectHttp);
export const openIpcFixture = () => openFixture(connectIpc);

async function openFixture(createConnection: (reach: string[]) => Connection): Promise<TransportFixture> {
  const parent = mkdtempSync(join(tmpdir(), 'gatehouse-transport-'));
  const reach: string[] = [];
  const connection = createConnection(reach);
  let instances = 0;
  let panel: Panel;
  const start = async () => {
    instances += 1;
    panel = await openPanel({
      folder: join(parent, String(instances)),
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
  await start();
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
    disconnect: connection.disconnect,
    reconnect: connection.reconnect,
    async replacePanel() {
      connection.disconnect();
      await panel.close();
      await start();
      connection.reconnect();
      await connection.transport.call('signIn', ADMIN);
    },
    async [Symbol.asyncDispose]() {
      connection.disconnect();
      await panel.close();
      rmSync(parent, { recursive: true, force: true });
    },
  };
}

/** A browser's fetch: stores the session, sends the headers of a page of the panel, and can be disconnected. */
function connectHttp(reach: string[]): Connection {
  const BASE = 'https://panel.test/panel/';
  let panelUrl = '';
  const jar = createSessionJar();
  let secret: string | null = null;
  const sessionSecret = {
    read: () => secret,
    write(given: string | null) {
      secret = given;
    },
  };
  let network = new AbortController();
  let isDisconnected = false;
  const fetchAsPage: typeof fetch = async (input, init = {}) => {
    if (isDisconnected) throw new TypeError('fetch failed');
    const headers = new Headers(init.headers);
    headers.set('Origin', new URL(panelUrl).origin);
    for (const [name, value] of Object.entries(jar.headers())) headers.set(name, value);
    const signal = init.signal ? AbortSignal.any([init.signal, network.signal]) : network.signal;
    const url = `${panelUrl}panel/${String(input).slice(BASE.length)}`;
    const response = await fetch(url, { ...init, headers, signal });
    // The page's half is the transport's own to send.
    jar.store({ 'set-cookie': response.headers.getSetCookie() });
    return response;
  };
  return {
    isInside: false,
    transport: createHttpTransport({
      base: BASE,
      fetch: fetchAsPage,
      reach: { onReach: (state) => reach.push(state), onServerTime: () => {} },
      sessionSecret,
      random: () => 0,
    }),
    connect(panel) {
      panelUrl = panel.panelUrl;
    },
    disconnect() {
      isDisconnected = true;
      network.abort(new TypeError('fetch failed'));
    },
    reconnect() {
      isDisconnected = false;
      network = new AbortController();
    },
  };
}

function connectIpc(reach: string[]): Connection {
  const ipc = fakeIpc();
  return {
    isInside: true,
    transport: createIpcTransport({
      api: ipc.api,
      reach: { onReach: (state) => reach.push(state), onServerTime: () => {} },
    }),
    connect: (panel) => ipc.serve(createIpcSession(panel, { device: 'test' })),
    disconnect: ipc.disconnect,
    reconnect: ipc.reconnect,
  };
}
