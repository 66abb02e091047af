// What a visitor without an account sees of a node with Hysteria2, by the HTTP/3 client of sing-box, while a user of the same connection moves bytes.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { certificateMaker } from '../../src/adapters/certificates/connection-certificates.ts';
import { getProgramPath, whyWithout } from './found.ts';
import { openConnections, serveInbounds } from './many-connections.ts';
import { createSamples } from './measure.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-masquerade-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A site that answers with the name and the path by which it was requested. */
async function startPlainSite() {
  const server = createServer(({ headers, url }, reply) => reply.end(`site ${headers.host} ${url}`));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, [Symbol.asyncDispose]: async () => void server.close() };
}

/** What a page says; `certificate`: of the node, which its client trusts. */
async function visit(port: number, path: string, certificate: string): Promise<string> {
  const [authority, config] = [join(folder, 'authority.pem'), join(folder, 'visitor.json')];
  writeFileSync(authority, certificate);
  writeFileSync(config, JSON.stringify({ log: { disabled: true }, outbounds: [{ type: 'direct', tag: 'direct' }] }));
  const args = ['tools', 'fetch', `http3://127.0.0.1:${port}${path}`, '-c', config];
  const env = { ...process.env, SSL_CERT_FILE: authority };
  return (await promisify(execFile)(getProgramPath('sing-box'), args, { env, timeout: 20_000 })).stdout;
}

const ENGINES = ['xray', 'xray-new', 'xray-newest'] as const;
const missing = whyWithout(...ENGINES, 'sing-box');

describe.skipIf(missing !== null)(`Hysteria2 as a site ${missing ?? ''}`.trim(), () => {
  test.each(ENGINES)('%s shows the site to visitors, and 404 where there is none', async (engine) => {
    await using site = await startPlainSite();
    const [sample] = (await createSamples(1)).filter(
      ({ row, hasOptions }) => row.protocol === 'hysteria2' && row.obfsPassword === null && !hasOptions,
    );
    if (!sample) throw new Error('no sample of Hysteria2');
    const { key: certificateKey, served: certificate } = await certificateMaker.makeSelfSigned('127.0.0.1', Date.now());
    const row = { ...sample.row, sni: '127.0.0.1', certificate };
    const secrets = { ...sample.secrets, certificate: certificate.chain, pin: certificate.sha256 };
    const served = { ...sample.served, ...row, certificateKey };
    const name = `127.0.0.1:${site.port}`;
    {
      await using _engine = await serveInbounds(engine, [{ ...served, masquerade: `http://${name}/folder` }]);
      await using open = await openConnections(engine, [row], folder, { secretsOf: () => secrets });
      expect(await visit(row.port, '/page', certificate.chain)).toBe(`site ${name} /folder/page`);
      expect(await open.working()).toEqual([row]);
    }
    await using _engine = await serveInbounds(engine, [served]);
    expect(await visit(row.port, '/page', certificate.chain)).toBe('404 page not found\n');
  });
});
