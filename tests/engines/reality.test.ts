// Real clients get through REALITY of each Xray, by the documents that the formats write for them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { nodeCrypto } from '../../src/adapters/crypto.ts';
import type { InboundRow } from '../../src/core/ports/inbounds.ts';
import { whyWithout } from './found.ts';
import { createConnections, openConnections, serveConnections } from './many-connections.ts';
import { startSite } from './real-engine.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-reality-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const { privateKey, publicKey } = nodeCrypto.newX25519();

/** Each network of REALITY; `android` is refused when a connection is written. */
async function shapes(): Promise<readonly InboundRow[]> {
  const reality = { security: 'reality', sni: 'a.example', publicKey, shortId: '6ba85179e30d4fc2' } as const;
  const vision = { ...reality, flow: 'xtls-rprx-vision' };
  return createConnections([
    vision,
    { ...vision, fingerprint: 'chrome' },
    { ...vision, fingerprint: 'android' },
    { ...reality, protocol: 'trojan' },
    { ...reality, network: 'grpc', serviceName: 'a-service' },
    { ...reality, network: 'xhttp', path: '/a/path' },
  ]);
}

for (const server of ['xray', 'xray-new', 'xray-newest'] as const) {
  const missing = whyWithout(server, 'xray', 'mihomo');
  test.skipIf(missing !== null)(`${server} serves Xray and mihomo over REALITY ${missing ?? ''}`.trim(), async () => {
    await using site = await startSite();
    const rows = (await shapes()).map((row) => ({ ...row, target: `127.0.0.1:${site.port}` }));
    await using _engine = await serveConnections(server, rows, privateKey);
    for (const program of ['xray', 'mihomo'] as const) {
      await using client = await openConnections(program, rows, folder);
      expect(await client.working(), `${program} on ${server}`).toEqual(rows);
    }
  });
}
