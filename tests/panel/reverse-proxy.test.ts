// A panel behind nginx, Caddy and Traefik with the lines of README.md, on a port other than 443.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { issueAuthority, issueLeaf } from '../../src/adapters/certificates/issuer.ts';
import { openPanel, type Panel } from '../../src/panel/panel.ts';
import { CHEAP_COST } from '../support/cheap-password.ts';
import { findOnPath, findProgram } from '../support/engines.ts';
import { freePort } from '../support/free-port.ts';
import { PASSWORD } from '../support/own-panel.ts';
import { createSessionJar } from '../support/session-jar.ts';

const HOST = '127.0.0.1';
const DAY = 86_400_000;
/** The block of the README, for a panel at another port. */
function readmeBlock(name: string, port: number): string {
  const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
  const [, block = ''] = new RegExp(`\`\`\`${name}\\n([^]+?)\n\`\`\``).exec(readme) ?? [];
  return block.replace('127.0.0.1:8443', `${HOST}:${port}`);
}

interface Proxy {
  readonly name: string;
  /** The program; null where it is not on this machine. */
  readonly path: string | null;
  /** Its arguments, once its configuration is in `folder`, beside `server.pem` and `server-key.pem`. */
  configure(folder: string, port: number, publicPort: number): readonly string[];
}

const nginx: Proxy = {
  name: 'nginx',
  path: findOnPath('nginx'),
  configure(folder, port, publicPort) {
    const at = (name: string) => join(folder, name);
    mkdirSync(at('temp'));
    const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${at('temp')}/${kind};`,
    );
    writeFileSync(
      at('nginx.conf'),
      `daemon off; master_process off; pid ${at('nginx.pid')}; error_log ${at('error.log')};
     events {}
     http {
       access_log off; ${temp.join(' ')}
       server {
         listen ${HOST}:${publicPort} ssl;
         ssl_certificate ${at('server.pem')}; ssl_certificate_key ${at('server-key.pem')};
         ${readmeBlock('nginx', port)}
       }
     }`,
    );
    return ['-p', folder, '-e', at('error.log'), '-c', at('nginx.conf')];
  },
};

const caddy: Proxy = {
  name: 'caddy',
  path: findOnPath('caddy'),
  configure(folder, port, publicPort) {
    const at = (name: string) => join(folder, name);
    const site = `https://${HOST}:${publicPort} {\n    tls ${at('server.pem')} ${at('server-key.pem')}`;
    const block = readmeBlock('caddy', port).replace('panel.example.org {', site);
    writeFileSync(
      at('Caddyfile'),
      `{\n    admin off\n    auto_https off\n    storage file_system ${folder}\n}\n${block}`,
    );
    return ['run', '--config', at('Caddyfile')];
  },
};

const traefik: Proxy = {
  name: 'traefik',
  path: findProgram('traefik'),
  configure(folder, port, publicPort) {
    const at = (name: string) => join(folder, name);
    const block = readmeBlock('yaml', port)
      .replace('panel.example.org', HOST)
      .replace('tls: { certResolver: letsencrypt }', 'tls: {}');
    const pair = `{ certFile: ${at('server.pem')}, keyFile: ${at('server-key.pem')} }`;
    writeFileSync(at('dynamic.yml'), `${block}\ntls: { stores: { default: { defaultCertificate: ${pair} } } }\n`);
    return [
      `--entryPoints.websecure.address=${HOST}:${publicPort}`,
      `--providers.file.filename=${at('dynamic.yml')}`,
      '--global.checkNewVersion=false',
      '--global.sendAnonymousUsage=false',
    ];
  },
};

describe.each([nginx, caddy, traefik])('behind $name', (proxy) => {
  const isThere = proxy.path !== null;
  if (!isThere && process.env.CI === 'true') throw new Error(`${proxy.name} is missing`);
  if (!isThere) console.warn(`\n  !!! NOT TESTED: the lines of README.md for ${proxy.name}, which is missing\n`);

  let folder = '';
  let panel: Panel;
  let origin = '';
  let ca = '';
  let child: ReturnType<typeof spawn> | null = null;
  beforeAll(async () => {
    if (proxy.path === null) return;
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-proxy-'));
    const [port, publicPort] = [await freePort(), await freePort()];
    origin = `https://${HOST}:${publicPort}`;
    const options = { folder: join(folder, 'data'), port, plainHttp: true, publicUrl: origin, trustedProxies: [HOST] };
    panel = await openPanel({ ...options, passwordCost: CHEAP_COST });
    await panel.core.local.setUp('admin', PASSWORD);
    const year = { from: Date.now() - DAY, to: Date.now() + 365 * DAY };
    const authority = await issueAuthority(year);
    const leaf = await issueLeaf(authority, [HOST], year);
    ca = authority.pem;
    const at = (name: string) => join(folder, name);
    writeFileSync(at('server.pem'), leaf.pem);
    writeFileSync(at('server-key.pem'), leaf.key);
    const args = proxy.configure(folder, port, publicPort);
    child = spawn(proxy.path, args, { stdio: 'ignore', env: { ...process.env, XDG_CONFIG_HOME: folder } });
  });
  afterAll(async () => {
    if (!isThere) return;
    const ended = child && once(child, 'exit');
    child?.kill('SIGTERM');
    await ended;
    await panel.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const jar = createSessionJar();

  function send(method: string, path: string, headers: Readonly<Record<string, string>>, body?: string | Buffer) {
    return new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
      const all = { ...jar.headers(), ...headers, ...length };
      const request = https.request(new URL(path, origin), { method, ca, headers: all, agent: false }, (reply) => {
        let text = '';
        reply.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        reply.on('end', () => {
          jar.store(reply.headers);
          resolve({ status: reply.statusCode ?? 0, text });
        });
      });
      request.on('error', reject);
      request.end(body);
    });
  }

  test.skipIf(!isThere)('who sends an Origin and no Sec-Fetch-Site signs in, and uploads a large backup', async () => {
    const panelPath = new URL(panel.panelUrl).pathname;
    await expect.poll(async () => (await send('GET', panelPath, {}).catch(() => null))?.status).toBe(200);
    expect(panel.panelUrl).toBe(`${origin}${panelPath}`);
    const json = { origin, 'content-type': 'application/json' };
    const signedIn = await send(
      'POST',
      `${panelPath}panel/signIn`,
      json,
      JSON.stringify({ name: 'admin', password: PASSWORD }),
    );
    expect(signedIn).toMatchObject({ status: 200 });
    const file = { origin, 'content-type': 'application/octet-stream' };
    const uploaded = await send('POST', `${panelPath}panel/backups`, file, Buffer.alloc(3_000_000, 'x'));
    // The panel itself refuses it, and not the proxy for its size.
    expect(uploaded.text).toContain('not_a_backup');
    const foreign = { ...json, origin: 'https://example.org' };
    expect(await send('POST', `${panelPath}panel/listKeys`, foreign, '{}')).toMatchObject({ status: 403 });
  });
});
