// What several windows watch: each has its own, also where two pages chose the same number. What one calls before the panel is open.
import { expect, it } from 'vitest';
import { createPanelChannels } from './panel-channels.ts';

it('gives each window what it watches, and ends the watches of a closed one only', async () => {
  const heard: unknown[] = [];
  const listeners: ((message: { kind: string; id: number }) => void)[] = [];
  const stopped: number[] = [];
  const session = {
    watch(_lastId: number | null, listener: (message: { kind: string; id: number }) => void) {
      const index = listeners.push(listener) - 1;
      return () => stopped.push(index);
    },
  };
  const { handlers, endWatches } = createPanelChannels({
    session: () => session as never,
    whenOpened: async () => {},
    emit: (sender, message) => heard.push([sender, message.watch]),
    log: { error() {} },
  });
  await handlers.watch(7, 1, null);
  await handlers.watch(8, 1, null);
  for (const listener of listeners) listener({ kind: 'ready', id: 5 });
  expect(heard).toEqual([
    [7, 1],
    [8, 1],
  ]);
  handlers.unwatch(7, 2);
  endWatches(8);
  expect(stopped).toEqual([1]);
  handlers.unwatch(7, 1);
  expect(stopped).toEqual([1, 0]);
});

it('a call of a window that is there before the panel waits for it', async () => {
  const opened = Promise.withResolvers<void>();
  let session: object | null = null;
  const { handlers } = createPanelChannels({
    session: () => session as never,
    whenOpened: () => opened.promise,
    emit() {},
    log: { error() {} },
  });
  const reply = handlers.call(7, 'panelState', '{}', {});
  session = { call: async () => ({ ok: true, text: '{}', etag: null }) };
  opened.resolve();
  await expect(reply).resolves.toMatchObject({ ok: true });
});
