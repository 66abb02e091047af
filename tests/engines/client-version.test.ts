// The oldest app core that REALITY lets in is a setting of the connection: an app core that is older is refused, one that is newer is served.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isFull } from '../support/long.ts';
import { openOwnPanel } from '../support/own-panel.ts';
import { whyWithout } from './found.ts';
import { ANSWER, openPuller, openScene, POLLED, readShareLink } from './panel-traffic.ts';
import { startSite } from './real-engine.ts';

let keys = '';
beforeEach(() => {
  keys = mkdtempSync(join(tmpdir(), 'gatehouse-version-'));
});
afterEach(() => rmSync(keys, { recursive: true, force: true }));

const missing = whyWithout('xray', 'xray-new');

test.skipIf(missing !== null).each(isFull ? (['xray', 'xray-new'] as const) : (['xray-new'] as const))(
  `%s serves an Xray of 26.7 and refuses one of 26.3, as its connection says ${missing ?? ''}`.trim(),
  async (program) => {
    await using own = await openOwnPanel({ keyFile: join(keys, 'master.key'), pollEveryMs: 500 });
    await using site = await startSite();
    const { private_key } = (await own.administrator.call('makeRealityKeys', {})).body;
    const scene = await openScene(own, program, {
      protocol: 'vless',
      security: 'reality',
      sni: 'a.example',
      target: `127.0.0.1:${site.port}`,
      private_key,
      short_id: '6ba85179e30d4fc2',
      min_client_version: '26.5.0',
    });
    const { api } = scene;
    const link = await readShareLink(scene);
    await using older = await openPuller('xray', link);
    await using newer = await openPuller('xray-new', link);
    const [inbound] = (await api.call('listInbounds', {})).body.items;
    const sendRequest = async (min_client_version: string | null) => {
      await api.call('updateInbound', { id: inbound?.id ?? 0, min_client_version });
    };

    await expect.poll(() => newer.pull(), POLLED).toBe(ANSWER.length);
    expect(await older.pull()).toBe(0);
    await sendRequest('27.0.0');
    await expect.poll(() => newer.pull(), POLLED).toBe(0);
    await sendRequest(null);
    await expect.poll(() => newer.pull(), POLLED).toBe(ANSWER.length);
    await expect.poll(() => older.pull(), POLLED).toBe(ANSWER.length);
    api.close();
  },
);
