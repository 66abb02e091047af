// The panel of the desktop: the choices after a failed start, reopening when it stops working, closing once.
import { expect, it, vi } from 'vitest';
import { refusal } from '../adapters/refusal.ts';
import type { PanelOptions } from '../panel/config.ts';
import type { Panel } from '../panel/panel.ts';
import { createHost, type HostParts, type StartChoice } from './host.ts';

/** Only the members of a panel that the host uses. */
function fakePanel() {
  const state = { isListening: true, isReadable: true, token: null as string | null, closed: 0 };
  const panel = {
    address: () => (state.isListening ? {} : null),
    core: {
      figures() {
        if (!state.isReadable) throw new Error('disk I/O error');
      },
      authenticateSession(token: string) {
        state.token = token;
        return {};
      },
    },
    log: { error: vi.fn() },
    close: async () => {
      state.closed += 1;
    },
  } as unknown as Panel;
  return { state, panel };
}

function hostWith(open: (options: PanelOptions) => Promise<Panel>, choices: StartChoice[] = []) {
  const asked: string[] = [];
  const reopened: [string, unknown][] = [];
  const parts: HostParts = {
    options: { folder: '/data' },
    open,
    device: 'Gatehouse',
    ask: async ({ message }) => {
      asked.push(message);
      return choices.shift() ?? 'quit';
    },
    onOpen: async () => {},
    onSession() {},
    onReopened: (reason, error) => reopened.push([reason, error]),
  };
  return { host: createHost(parts), asked, reopened };
}

it('retries as long as the user wants, then with another port', async () => {
  const ports: unknown[] = [];
  const { panel } = fakePanel();
  const open = async ({ port, isInside }: PanelOptions) => {
    ports.push(port);
    expect(isInside).toBe(true);
    if (port === undefined) throw refusal('address', 'Port 8443 is taken.');
    return panel;
  };
  const { host, asked } = hostWith(open, ['retry', 'another-port']);
  await expect(host.open()).resolves.toBe(true);
  expect(ports).toEqual([undefined, undefined, 'free']);
  expect(asked).toEqual(['Port 8443 is taken.', 'Port 8443 is taken.']);
  expect(host.panel()).toBe(panel);
});

it('opens nothing if the user quits, and does not ask about defects', async () => {
  const { host } = hostWith(async () => {
    throw refusal('in_use', 'Another panel is using it.');
  });
  await expect(host.open()).resolves.toBe(false);
  expect(host.panel()).toBeNull();
  const broken = hostWith(async () => {
    throw new Error('a defect');
  });
  await expect(broken.host.open()).rejects.toThrow('a defect');
  expect(broken.asked).toEqual([]);
});

it.each([
  ['no longer listens', { isListening: false }, 'socket'],
  ['cannot read its database', { isReadable: false }, 'database'],
])('reopens a panel that %s, with its session', async (_what, fault, reason) => {
  const first = fakePanel();
  const second = fakePanel();
  const panels = [first, second];
  const { host, reopened } = hostWith(async () => panels.shift()?.panel as Panel);
  await host.open();
  await host.check();
  expect(reopened).toEqual([]);
  host.session()?.resume('session');
  Object.assign(first.state, fault);
  await Promise.all([host.check(), host.check()]);
  expect(reopened).toEqual([[reason, null]]);
  expect([first.state.closed, second.state.token]).toEqual([1, 'session']);
  expect(host.panel()).toBe(second.panel);
});

it('is given up before it is closed, and its log stays', async () => {
  const { panel } = fakePanel();
  const { host } = hostWith(async () => panel);
  expect(host.log()).toBeNull();
  await host.open();
  const closing = Promise.withResolvers<void>();
  panel.close = () => closing.promise;
  const closed = Promise.all([host.close(), host.close()]);
  await Promise.resolve();
  expect([host.panel(), host.session(), host.log()]).toEqual([null, null, panel.log]);
  closing.resolve();
  await closed;
  expect(host.log()).toBe(panel.log);
});

it('is opened again after it was closed for an update that was refused, with its session', async () => {
  const first = fakePanel();
  const second = fakePanel();
  const panels = [first, second];
  const { host } = hostWith(async () => panels.shift()?.panel as Panel);
  await host.open();
  host.session()?.resume('session');
  await host.close();
  await host.check();
  expect([host.panel(), first.state.closed]).toEqual([null, 1]);
  await expect(host.resume('update')).resolves.toBe(true);
  expect([host.panel(), second.state.token]).toEqual([second.panel, 'session']);
});

it('that cannot be opened after a refused update is retried at every check', async () => {
  const [first, last] = [fakePanel(), fakePanel()];
  const answers = [first.panel, null, last.panel];
  const { host, reopened } = hostWith(async () => {
    const panel = answers.shift();
    if (!panel) throw refusal('address', 'taken');
    return panel;
  });
  await host.open();
  await host.close();
  await expect(host.resume('update')).resolves.toBe(false);
  await host.check();
  expect(host.panel()).toBe(last.panel);
  expect(reopened).toHaveLength(2);
});

it('reports once that it could not be reopened, and retries', async () => {
  const first = fakePanel();
  const last = fakePanel();
  const answers = [first.panel, null, null, last.panel];
  const { host, reopened } = hostWith(async () => {
    const panel = answers.shift();
    if (!panel) throw refusal('address', 'taken');
    return panel;
  });
  await host.open();
  first.state.isListening = false;
  for (let attempt = 0; attempt < 3; attempt++) await host.check();
  expect(reopened.map(([, error]) => (error === null ? 'reopened' : 'failed'))).toEqual(['failed', 'reopened']);
  await host.close();
  expect([last.state.closed, host.panel()]).toEqual([1, null]);
});
