// The built preload, run as the sandbox runs it: one file that loads Electron alone and shows the pages exactly its functions.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { expect, it } from 'vitest';
import { ASK, TELL } from '../../src/bridge/channels.ts';

const folder = join(import.meta.dirname, '../../out/preload');

type Shown = Record<string, (...args: unknown[]) => unknown>;
type Heard = (event: unknown, told: unknown) => void;

function run() {
  const required: string[] = [];
  const exposed: [string, Shown][] = [];
  const invoked: unknown[][] = [];
  const heard = new Map<string, Heard>();
  const electron = {
    contextBridge: { exposeInMainWorld: (name: string, api: Shown) => exposed.push([name, api]) },
    ipcRenderer: {
      invoke: async (...args: unknown[]) => void invoked.push(args),
      on: (channel: string, listener: Heard) => heard.set(channel, listener),
      removeListener: (channel: string, listener: Heard) => heard.get(channel) === listener && heard.delete(channel),
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
  return { required, exposed, name, api, invoked, heard };
}

it('is one file, which loads Electron alone', () => {
  expect(readdirSync(folder)).toEqual(['index.cjs']);
  expect(run().required).toEqual(['electron']);
});

it('shows the pages exactly its functions', () => {
  const { exposed, name, api } = run();
  expect(exposed).toHaveLength(1);
  expect(name).toBe('gatehouse');
  expect(Object.keys(api).sort()).toEqual([...Object.keys(ASK), 'onGo', 'onLive'].sort());
  expect(Object.values(api).every((member) => typeof member === 'function')).toBe(true);
});

it('asks each on its own channel, with what it was given', async () => {
  const { api, invoked } = run();
  for (const name of Object.keys(ASK)) await api[name]?.(name, 2);
  expect(invoked).toEqual(Object.entries(ASK).map(([name, channel]) => [channel, name, 2]));
});

it('passes on what main tells without the event it came with, until it is to stop', () => {
  const { api, heard } = run();
  for (const [name, channel] of [
    ['onLive', TELL.live],
    ['onGo', TELL.go],
  ] as const) {
    const told: unknown[][] = [];
    const stop = api[name]?.((...args: unknown[]) => told.push(args)) as () => void;
    heard.get(channel)?.({ sender: 'the ipcRenderer' }, 'told');
    expect(told).toEqual([['told']]);
    stop();
    expect(heard.has(channel)).toBe(false);
  }
});
