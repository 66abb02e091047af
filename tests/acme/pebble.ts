// A certificate authority in a process of its own (Pebble), with the name server that it asks: every name is this machine.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { inject } from 'vitest';
import { issueAuthority, issueLeaf } from '../../src/adapters/certificates/issuer.ts';
import type { AuthorityProgram } from '../support/engines.ts';
import { freePort } from '../support/free-port.ts';

const HOUR = 3_600_000;
const PATIENCE_MS = 60_000;

export interface Pebble extends AsyncDisposable {
  readonly directoryUrl: string;
  /** Where it expects answers of HTTP-01 and of TLS-ALPN-01. */
  readonly httpPort: number;
  readonly tlsPort: number;
  /** The root of what it issues, PEM. */
  root(): Promise<string>;
  /** Sets its answer to when a certificate is to be renewed (ARI). */
  adviseRenewal(chain: string, window: { readonly start: string; readonly end: string }): Promise<void>;
  /** How many requests of a kind it has had. */
  countRequests(path: string): number;
  /** Names resolve to nothing from now on, or to this machine. */
  resolve(isThere: boolean): Promise<void>;
}

/** Why tests with it are skipped; null: they run. */
export function whyWithoutPebble(): string | null {
  for (const found of Object.values(inject('authority'))) if ('missing' in found) return found.missing;
  return null;
}

function getProgramPath(program: AuthorityProgram): string {
  const found = inject('authority')[program];
  if ('missing' in found) throw new Error(found.missing);
  return found.path;
}

/** `tlsPort`: of the panel. This process trusts its connections until it is closed. */
export async function startPebble(tlsPort: number): Promise<Pebble> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-pebble-'));
  const [port, managementPort, httpPort, dnsPort, dnsManagement] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const validity = { from: Date.now() - HOUR, to: Date.now() + 24 * HOUR };
  const authority = await issueAuthority(validity);
  const leaf = await issueLeaf(authority, ['127.0.0.1'], validity);
  writeFileSync(join(folder, 'cert.pem'), leaf.pem);
  writeFileSync(join(folder, 'key.pem'), leaf.key, { mode: 0o600 });
  const pebble = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${managementPort}`,
    certificate: join(folder, 'cert.pem'),
    privateKey: join(folder, 'key.pem'),
    httpPort,
    tlsPort,
    retryAfter: { authz: 1, order: 1 },
    keyAlgorithm: 'ecdsa',
    profiles: { default: { description: 'of the test', validityPeriod: 7_776_000 } },
  };
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ pebble }));
  const former = getCACertificates('default');
  setDefaultCACertificates([...former, authority.pem]);
  let said = '';
  const start = (program: AuthorityProgram, args: readonly string[]): ChildProcess => {
    const env = { ...process.env, PEBBLE_VA_NOSLEEP: '1', PEBBLE_AUTHZREUSE: '0', PEBBLE_WFE_NONCEREJECT: '0' };
    const child = spawn(getProgramPath(program), args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (said += chunk));
    return child;
  };
  const off = ['-http01', '', '-https01', '', '-tlsalpn01', '', '-doh', ''];
  const names = ['-dnsserver', `127.0.0.1:${dnsPort}`, '-management', `127.0.0.1:${dnsManagement}`, '-defaultIPv6', ''];
  const children = [
    start('pebble-challtestsrv', [...off, ...names]),
    start('pebble', ['-config', join(folder, 'config.json'), '-dnsserver', `127.0.0.1:${dnsPort}`]),
  ];
  const directoryUrl = `https://127.0.0.1:${port}/dir`;
  const management = `https://127.0.0.1:${managementPort}`;
  const close = async () => {
    await Promise.all(
      children.map((child) => {
        const exit = once(child, 'exit');
        child.kill('SIGKILL');
        return exit;
      }),
    );
    setDefaultCACertificates(former);
    rmSync(folder, { recursive: true, force: true });
  };
  await untilAnswers(directoryUrl, () => said).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return {
    directoryUrl,
    httpPort,
    tlsPort,
    root: () => request(`${management}/roots/0`),
    adviseRenewal: async (chain, suggestedWindow) => {
      const ariResponse = JSON.stringify({ suggestedWindow });
      await request(`${management}/set-renewal-info/`, JSON.stringify({ certificate: chain, ariResponse }));
    },
    countRequests: (path) => said.split(path).length - 1,
    resolve: async (isThere) => {
      const ip = isThere ? '127.0.0.1' : '';
      await fetch(`http://127.0.0.1:${dnsManagement}/set-default-ipv4`, {
        method: 'POST',
        body: JSON.stringify({ ip }),
      });
    },
    [Symbol.asyncDispose]: close,
  };
}

function request(url: string, body?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'user-agent': 'tests' };
    const method = body === undefined ? 'GET' : 'POST';
    const sent = https.request(url, { method, headers, agent: false }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on('data', (chunk: Buffer) => chunks.push(chunk));
      reply.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        if (reply.statusCode === 200) resolve(text);
        else reject(new Error(`${url}: ${reply.statusCode} ${text}`));
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

async function untilAnswers(url: string, said: () => string): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const failure = await request(url).then(
      () => null,
      (error: unknown) => String(error),
    );
    if (failure === null) return;
    if (Date.now() > until) throw new Error(`Pebble does not answer: ${failure}\n${said()}`);
    await sleep(100);
  }
}
