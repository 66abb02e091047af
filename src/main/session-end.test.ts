// The end of a session on Windows, for an application with a window and for one that started hidden.
import { EventEmitter } from 'node:events';
import { expect, it, vi } from 'vitest';
import { followSessionEnd } from './session-end.ts';

function follow(platform: NodeJS.Platform) {
  const windows: FakeWindow[] = [];
  class FakeWindow extends EventEmitter {
    readonly options: object;
    constructor(options: object) {
      super();
      this.options = options;
      windows.push(this);
    }
  }
  const stopped = Promise.withResolvers<void>();
  const stop = vi.fn(() => stopped.promise);
  const exit = vi.fn();
  followSessionEnd({ BrowserWindow: FakeWindow as never, platform, stop, exit });
  return { windows, stopped, stop, exit };
}

it('waits for the panel to stop, without a window that can be seen', async () => {
  const { windows, stopped, stop, exit } = follow('win32');
  expect(windows.map(({ options }) => options)).toMatchObject([{ show: false, skipTaskbar: true }]);
  const preventDefault = vi.fn();
  windows[0]?.emit('query-session-end', { preventDefault });
  expect([preventDefault, stop, exit].map((called) => called.mock.calls.length)).toEqual([1, 1, 0]);
  stopped.resolve();
  await vi.waitFor(() => expect(exit).toHaveBeenCalledOnce());
});

it('stops the panel where the system does not ask before', () => {
  const { windows, stop } = follow('win32');
  windows[0]?.emit('session-end');
  expect(stop).toHaveBeenCalledOnce();
});

it.each(['linux', 'darwin'] as const)('needs nothing on %s, where a signal ends it', (platform) => {
  expect(follow(platform).windows).toEqual([]);
});
