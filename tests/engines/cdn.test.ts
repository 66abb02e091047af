// A connection behind nginx as a CDN, with two hosts: clients of three cores pull a file through each, by what their subscription says.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { issueAuthority, issueLeaf } from '../../src/adapters/certificates/issuer.ts';
import { freePort } from '../support/free-port.ts';
import { startNginx, whyWithoutNginx } from '../support/nginx.ts';
import { sampleHost } from '../support/subscription-samples.ts';
import { whyWithout } from './found.ts';
import { createConnections, openConnections, serveConnections } from './many-connections.ts';

const DAY = 86_400_000;
/** The only name that leads to the node. */
const CDN = 'cdn.example';
/** Another site of the same CDN, by which the handshake looks. */
const FRONT = 'front.example';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-cdn-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts nginx with TLS on a port of all loopback addresses, which leads requests for `CDN` below /cdn to the node. */
async function startCdn(port: number, nodePort: number): Promise<AsyncDisposable> {
  const at = (name: string) => join(folder, name);
  const validity = { from: Date.now() - DAY, to: Date.now() + DAY };
  const authority = await issueAuthority(validity);
  const leaf = await issueLeaf(authority, [CDN, FRONT], validity);
  writeFileSync(at('ca.pem'), authority.pem);
  writeFileSync(at('cdn.pem'), leaf.pem);
  writeFileSync(at('cdn-key.pem'), leaf.key);
  // Every one of these programs is written in Go, which takes the authorities of the system from here.
  vi.stubEnv('SSL_CERT_FILE', at('ca.pem'));
  const tls = `listen 127.0.0.1:${port} ssl; listen 127.0.0.2:${port} ssl; ssl_certificate ${at('cdn.pem')}; ssl_certificate_key ${at('cdn-key.pem')};`;
  return startNginx(
    port,
    `server { ${tls} server_name ${FRONT}; return 404; }
     server {
       ${tls} server_name ${CDN};
       location /cdn {
         proxy_pass http://127.0.0.1:${nodePort}/ws;
         proxy_http_version 1.1;
         proxy_set_header Host $host;
         proxy_set_header Upgrade $http_upgrade;
         proxy_set_header Connection upgrade;
       }
     }`,
  );
}

const missing = whyWithout('xray-new', 'sing-box', 'mihomo') ?? whyWithoutNginx();

test.skipIf(missing !== null).each(['ws', 'httpupgrade'] as const)(
  `a connection over %s at a CDN and by another name of it ${missing ?? ''}`.trim(),
  async (network) => {
    const port = await freePort();
    const cdn = sampleHost({ name: 'CDN', address: '127.0.0.1', port, security: 'tls', sni: CDN, path: '/cdn' });
    const fronted = {
      ...cdn,
      name: 'fronted',
      address: '127.0.0.2',
      sni: FRONT,
      hostHeader: CDN,
      fingerprint: 'chrome',
    };
    const unknown = { ...cdn, name: 'no such name', hostHeader: FRONT };
    const rows = await createConnections([{ network, path: '/ws', hosts: [cdn, fronted, unknown] }]);
    await using _cdn = await startCdn(port, rows[0]?.port ?? 0);
    await using _engine = await serveConnections('xray-new', rows);
    for (const program of ['xray-new', 'sing-box', 'mihomo'] as const) {
      await using client = await openConnections(program, rows, folder, { attempts: { count: 3, ms: 5000 } });
      const working = await client.working();
      expect([program, ...working.map(({ name }) => name)]).toEqual([program, 'CDN', 'fronted']);
    }
  },
);
