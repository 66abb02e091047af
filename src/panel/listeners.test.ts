// The panel's sockets when it closes: one that is being opened is closed too.
import { expect, it } from 'vitest';
import type { PanelServer } from '../http/server.ts';
import { createListeners } from './listeners.ts';

/** Servers that start to listen when the test lets them. */
function openScene() {
  const open = new Set<number>();
  const gates: PromiseWithResolvers<void>[] = [];
  function openServer(): PanelServer {
    let at = 0;
    const end = async () => void open.delete(at);
    return {
      async listen(host, port) {
        const gate = Promise.withResolvers<void>();
        gates.push(gate);
        await gate.promise;
        at = port;
        open.add(port);
        return { address: host, family: 'IPv4', port };
      },
      address: () => (at === 0 ? null : { address: '127.0.0.1', family: 'IPv4', port: at }),
      replaceCertificate() {},
      close: end,
      retire: end,
    };
  }
  const listeners = createListeners(openServer, 0, () => {});
  return { listeners, open, listen: () => gates.shift()?.resolve() };
}

const at = (port: number) => ({ host: '127.0.0.1', port });
const unavailable = expect.objectContaining({ code: 'unavailable' });

it('an address that is being opened when the panel ends is closed again, and none is opened after', async () => {
  const { listeners, open, listen } = openScene();
  const first = listeners.listen('127.0.0.1', 8443);
  listen();
  await first;
  const trial = listeners.tryAt(at(8444));
  const links = listeners.serveLinksAt(at(8445));
  const closed = listeners.close(0);
  listen();
  listen();
  await Promise.all([closed, expect(trial).rejects.toEqual(unavailable), expect(links).rejects.toEqual(unavailable)]);
  expect([...open]).toEqual([]);

  await expect(listeners.tryAt(at(8446))).rejects.toEqual(unavailable);
  await expect(listeners.serveLinksAt(at(8446))).rejects.toEqual(unavailable);
  await listeners.cancelTrial();
  expect([...open]).toEqual([]);
});

it('an address on trial is closed with the panel, and the former one is not opened again', async () => {
  const { listeners, open, listen } = openScene();
  const first = listeners.listen('127.0.0.1', 8443);
  listen();
  await first;
  const trial = listeners.tryAt(at(8443));
  listen();
  await trial;
  await listeners.close(0);
  await listeners.cancelTrial();
  expect([...open]).toEqual([]);
});
