// Probes targets over real TLS: what one lacks is found, one that does not answer delays nothing, and private addresses are not connected
// to.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createTestTimers } from '../../tests/support/clock.ts';
import { DAY_MS } from '../domain/limits.ts';
import { certificateMaker } from './certificates/connection-certificates.ts';
import { issueAuthority, issueLeaf } from './certificates/issuer.ts';
import { systemTimers } from './clock.ts';
import { createTargetProbe } from './target-probe.ts';

const NAME = 'site.example';
const LOOPBACK = [{ address: '127.0.0.1', family: 4 }];
const PUBLIC = [{ address: '203.0.114.1', family: 4 }];

type Identity = { readonly key: string; readonly cert: string };
let identity: Identity;
let short: Identity;
beforeAll(async () => {
  const { key, served } = await certificateMaker.makeSelfSigned(NAME, Date.now());
  short = { key, cert: served.chain };
  const validity = { from: Date.now(), to: Date.now() + DAY_MS };
  // As many bytes as the chains of most sites.
  const names = [NAME, ...Array.from({ length: 200 }, (_, index) => `other-${index}.site.example`)];
  const leaf = await issueLeaf(await issueAuthority(validity), names, validity);
  identity = { key: leaf.key, cert: leaf.pem };
});

async function listen(server: Server) {
  const sockets = new Set<{ destroy(): void }>();
  server.on('connection', (socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

const site = (options: TlsOptions) => listen(createTlsServer({ ...identity, ...options }));
const probe = (timers = systemTimers) =>
  createTargetProbe({ timers, resolve: async () => LOOPBACK, isAllowed: (address) => address === '127.0.0.1' });

describe('a target', () => {
  const MODERN: TlsOptions = { ALPNProtocols: ['h2', 'http/1.1'] };
  const CASES: readonly [string, TlsOptions, string, readonly string[]][] = [
    ['that has everything', MODERN, NAME, []],
    ['with TLS 1.2 only', { ...MODERN, maxVersion: 'TLSv1.2' }, NAME, ['target_no_tls13']],
    ['without HTTP/2', { ALPNProtocols: ['http/1.1'] }, NAME, ['target_no_h2']],
    ['without ALPN', {}, NAME, ['target_no_h2']],
    ['of another name', MODERN, 'other.example', ['target_other_name']],
    ['asked for an address', MODERN, '192.0.2.1', ['target_other_name']],
  ];
  it.each(CASES)('%s', async (_name, options, name, findings) => {
    await using server = await site(options);
    expect(await probe().probeTarget({ host: NAME, port: server.port, name })).toEqual(findings);
  });

  it('with few bytes of certificates', async () => {
    await using server = await site({ ...MODERN, ...short });
    expect(await probe().probeTarget({ host: NAME, port: server.port, name: NAME })).toEqual(['target_short_chain']);
  });

  it('that closes at once, or is not there, is not reachable', async () => {
    const server = await listen(createServer((socket) => socket.destroy()));
    expect(await probe().probeTarget({ host: NAME, port: server.port, name: NAME })).toEqual(['target_unreachable']);
    await server[Symbol.asyncDispose]();
    expect(await probe().probeTarget({ host: NAME, port: server.port, name: NAME })).toEqual(['target_unreachable']);
    const nowhere = createTargetProbe({ timers: systemTimers, resolve: async () => Promise.reject(new Error('no')) });
    expect(await nowhere.probeTarget({ host: NAME, port: 443, name: NAME })).toEqual(['target_unreachable']);
  });

  it('that says nothing is given up after a time limit', async () => {
    const accepted = Promise.withResolvers<void>();
    await using server = await listen(createServer(() => accepted.resolve()));
    const timers = createTestTimers();
    const asked = probe(timers).probeTarget({ host: NAME, port: server.port, name: NAME });
    await accepted.promise;
    timers.pass(2999);
    expect(timers.pending()).toBe(1);
    timers.pass(1);
    expect(await asked).toEqual(['target_unreachable']);
  });

  it('is given up when the panel closes, and not asked after it', async () => {
    const accepted = Promise.withResolvers<void>();
    await using server = await listen(createServer(() => accepted.resolve()));
    const asking = probe();
    const asked = asking.probeTarget({ host: NAME, port: server.port, name: NAME });
    await accepted.promise;
    asking.close();
    expect(await asked).toBeNull();
    expect(await asking.probeTarget({ host: NAME, port: server.port, name: NAME })).toBeNull();
  });

  it('is not asked at an address of a private network, by whatever name', async () => {
    const onConnection = vi.fn();
    await using server = await listen(createServer(onConnection));
    for (const found of [LOOPBACK, [...PUBLIC, ...LOOPBACK], [{ address: '::ffff:127.0.0.1', family: 6 }]]) {
      const careful = createTargetProbe({ timers: systemTimers, resolve: async () => found });
      expect(await careful.probeTarget({ host: NAME, port: server.port, name: NAME })).toBeNull();
    }
    const careful = createTargetProbe({ timers: systemTimers });
    for (const host of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1'])
      expect(await careful.probeTarget({ host, port: server.port, name: NAME })).toBeNull();
    expect(onConnection).not.toHaveBeenCalled();
  });
});
