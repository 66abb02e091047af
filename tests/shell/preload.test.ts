// The built preload, run as the sandbox runs it: one file that loads only Electron and exposes exactly its functions to the pages.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { expect, it } from 'vitest';
import { CALL_CHANNELS, EVENT_CHANNELS } from '../../src/bridge/desktop-api.ts';

const folder = join(import.meta.dirname, '../../out/preload');

type Api = Record<string, (...args: unknown[]) => unknown>;
type Listener = (event: unknown, message: unknown) => void;

function run() {
  const required: string[] = [];
  const exposed: [string, Api][] = [];
  const invoked: unknown[][] = [];
  const listeners = new Map<string, Listener>();
  const electron = {
    contextBridge: { exposeInMainWorld: (name: string, api: Api) => exposed.push([name, api]) },
    ipcRenderer: {
      invoke: async (...args: unknown[]) => void invoked.push(args),
      on: (channel: string, listener: Listener) => listeners.set(channel, listener),
      removeListener: (channel: string, listener: Listener) =>
        listeners.get(channel) === listener && listeners.delete(channel),
    },
  };
  const require = (name: string) => {
    required.push(name);
    if (name !== 'electron') throw new Error(`a sandboxed preload cannot load ${name}`);
    return electron;
  };
  // Nothing of Node: no process, no Buffer, no module of its own.
  const context = createContext({ require, module: { exports: {} }, exports: {} });
  runInContext(readFileSync(join(folder, 'index.cjs'), 'utf8'), context);
  const [[name, api] = ['', {}]] = exposed;
  return { required, exposed, name, api, invoked, listeners };
}

it('is one file, which loads only Electron', () => {
  expect(readdirSync(folder)).toEqual(['index.cjs']);
  expect(run().required).toEqual(['electron']);
});

it('exposes exactly its functions to the pages', () => {
  const { exposed, name, api } = run();
  expect(exposed).toHaveLength(1);
  expect(name).toBe('gatehouse');
  expect(Object.keys(api).sort()).toEqual([...Object.keys(CALL_CHANNELS), 'onAct', 'onGo', 'onLive'].sort());
  expect(Object.values(api).every((member) => typeof member === 'function')).toBe(true);
});

it('calls each on its own channel, with its arguments', async () => {
  const { api, invoked } = run();
  for (const name of Object.keys(CALL_CHANNELS)) await api[name]?.(name, 2);
  expect(invoked).toEqual(Object.entries(CALL_CHANNELS).map(([name, channel]) => [channel, name, 2]));
});

it('forwards messages without the IPC event, until the listener is removed', () => {
  const { api, listeners } = run();
  for (const [name, channel] of [
    ['onLive', EVENT_CHANNELS.live],
    ['onGo', EVENT_CHANNELS.go],
    ['onAct', EVENT_CHANNELS.act],
  ] as const) {
    const messages: unknown[][] = [];
    const stop = api[name]?.((...args: unknown[]) => messages.push(args)) as () => void;
    listeners.get(channel)?.({ sender: 'the ipcRenderer' }, 'message');
    expect(messages).toEqual([['message']]);
    stop();
    expect(listeners.has(channel)).toBe(false);
  }
});
