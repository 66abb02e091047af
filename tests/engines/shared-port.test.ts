// One port for several connections and a site: each client moves bytes by its own format, visitors see the site, and the engine and the site know from
// where each of them connects.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { certificateMaker } from '../../src/adapters/certificates/connection-certificates.ts';
import { nodeCrypto } from '../../src/adapters/crypto.ts';
import { makeMldsa65Pair, makeVlessPair } from '../../src/core/inbounds/inbound-key-pairs.ts';
import type { InboundSecrets } from '../../src/core/ports/credentials.ts';
import type { EngineInbound } from '../../src/core/ports/engines.ts';
import type { InboundRow } from '../../src/core/ports/inbounds.ts';
import { mergePortOwner } from '../../src/domain/nodes/shared-port.ts';
import { connectEngine } from '../../src/engines/connector.ts';
import { engineConfigText } from '../../src/engines/engine-config.ts';
import { NO_SECRETS } from '../../src/subscription/entry.ts';
import { renderSubscription, WRITERS } from '../../src/subscription/render.ts';
import type { Json, RunnableServer } from '../support/engine-process.ts';
import { SETTINGS } from '../support/fake-core.ts';
import { freePort } from '../support/free-port.ts';
import { startNginx, whyWithoutNginx } from '../support/nginx.ts';
import { buildSubscription, sampleInbound } from '../support/subscription-samples.ts';
import { getProgramPath, whyWithout } from './found.ts';
import { type ManyClient, openConnections, START, serveInbounds, USER_ID } from './many-connections.ts';
import { LONG_CHAIN } from './measure.ts';
import { clientConfig, openThrough, startEcho, startProgram, startSite } from './real-engine.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-shared-port-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const SNI = 'a.example';
const ENCRYPTION = makeVlessPair(nodeCrypto, 'x25519', 'native');
const MLDSA65 = makeMldsa65Pair(nodeCrypto);

interface Shared {
  readonly served: readonly EngineInbound[];
  /** As apps reach them. */
  readonly rows: readonly InboundRow[];
  readonly secrets: InboundSecrets;
}

/** A connection, and others that share its port. */
async function shareOne(
  owner: Partial<InboundRow>,
  sharers: readonly Partial<InboundRow>[],
  firstId: number,
): Promise<Shared> {
  const { key: certificateKey, served: certificate } = await certificateMaker.makeSelfSigned(SNI, Date.now());
  const { privateKey, publicKey } = nodeCrypto.newX25519();
  const isTls = owner.security === 'tls';
  const port = await freePort();
  const build = (row: Partial<InboundRow>, index: number) => {
    const id = firstId + index;
    return sampleInbound({ id, tag: `in-${id}`, name: `connection ${id}`, host: '127.0.0.1', port, ...row });
  };
  const first = build({ sni: SNI, ...owner, ...(isTls ? { certificate } : { publicKey, shortId: '6ba8' }) }, 0);
  const security = first.security;
  const others = sharers.map((row, index) => build({ security, ...row, sharesPortOf: first.id }, index + 1));
  const none = { privateKey: null, certificateKey: null, serverKey: null, mldsa65Seed: null };
  const serve = (row: InboundRow): EngineInbound => {
    const decryption = row.encryption === null ? null : ENCRYPTION.decryption;
    return { ...row, ...none, decryption };
  };
  const mldsa65Seed = first.mldsa65Verify === null ? null : MLDSA65.mldsa65_seed;
  const secretsOfOwner = isTls ? { certificateKey } : { privateKey, mldsa65Seed };
  return {
    served: [{ ...serve(first), ...secretsOfOwner }, ...others.map(serve)],
    rows: [first, ...others.map((row) => mergePortOwner(row, first))],
    secrets: isTls ? { serverKey: null, certificate: certificate.chain, pin: certificate.sha256 } : NO_SECRETS,
  };
}

const OVER_TLS: readonly Partial<InboundRow>[] = [
  { protocol: 'vless', network: 'ws', path: '/ws?ed=2048' },
  { protocol: 'trojan', network: 'httpupgrade', path: '/upgrade' },
  { protocol: 'vmess', network: 'grpc', serviceName: 'a-service' },
];

/** What a visitor at this address sees. */
async function visit(port: number, path: string, localAddress: string): Promise<string> {
  const asked = request({
    host: '127.0.0.1',
    port,
    path,
    localAddress,
    rejectUnauthorized: false,
    servername: SNI,
  }).end();
  const [reply] = await once(asked, 'response');
  let body = '';
  for await (const part of reply) body += part;
  return body;
}

/** A site that says by which address it knows a visitor. */
async function startWebServer(hasProxyProtocol: boolean) {
  const port = await freePort();
  const [option, variable] = hasProxyProtocol ? [' proxy_protocol', '$proxy_protocol_addr'] : ['', '$remote_addr'];
  const server = `server { listen 127.0.0.1:${port}${option}; location / { return 200 "site $uri ${variable}"; } }`;
  const nginx = await startNginx(port, server);
  return { port, [Symbol.asyncDispose]: () => nginx[Symbol.asyncDispose]() };
}

const ENGINES: readonly RunnableServer[] = ['xray', 'xray-new', 'xray-newest'];
const CLIENTS = {
  xray: 'xray',
  'xray-new': 'xray',
  'sing-box': 'sing-box',
  mihomo: 'mihomo',
} as const satisfies Partial<Record<ManyClient, string>>;
const missing = whyWithout(...ENGINES, 'sing-box', 'mihomo', 'v2ray') ?? whyWithoutNginx();

describe.skipIf(missing !== null)(`one port ${missing ?? ''}`.trim(), () => {
  async function expectServed({ rows, secrets }: Shared, client: keyof typeof CLIENTS): Promise<void> {
    const carried = rows.filter((row) => WRITERS[CLIENTS[client]].canCarry(row, '127.0.0.1'));
    await using open = await openConnections(client, carried, folder, { secretsOf: () => secrets });
    expect(await open.working(), client).toEqual(carried);
  }

  test.each(ENGINES)(
    'of %s leads clients to each connection, and visitors to the site',
    { timeout: 90_000 },
    async (engine) => {
      await using web = await startWebServer(true);
      const fallback = { fallback: `127.0.0.1:${web.port}`, fallbackProxyProtocol: 1 };
      const vless = {
        protocol: 'vless',
        network: 'tcp',
        security: 'tls',
        flow: 'xtls-rprx-vision',
        ...fallback,
      } as const;
      const trojan = {
        protocol: 'trojan',
        network: 'tcp',
        security: 'tls',
        ...fallback,
        fallbackProxyProtocol: 2,
      } as const;
      const { encryption } = ENCRYPTION;
      const xhttp = [{ protocol: 'vless', network: 'xhttp', path: '/xhttp', encryption } as const];
      const all = [await shareOne(vless, OVER_TLS, 1), await shareOne(trojan, xhttp, 11)];
      await using _engine = await serveInbounds(
        engine,
        all.flatMap(({ served }) => served),
      );
      for (const shared of all)
        for (const client of ['xray', 'xray-new', 'sing-box', 'mihomo'] as const) await expectServed(shared, client);
      for (const { rows } of all)
        expect(await visit(rows[0]?.port ?? 0, '/page', '127.0.0.20')).toBe('site /page 127.0.0.20');
    },
  );

  test.each(ENGINES.flatMap((engine) => (['grpc', 'xhttp'] as const).map((network) => [engine, network] as const)))(
    'of %s with REALITY leads clients to one over %s',
    { timeout: 60_000 },
    async (engine, network) => {
      await using site = await startSite(LONG_CHAIN);
      const owner = {
        protocol: 'vless',
        network: 'tcp',
        security: 'reality',
        flow: 'xtls-rprx-vision',
        mldsa65Verify: MLDSA65.mldsa65_verify,
      } as const;
      const sharer = {
        protocol: 'vless',
        network,
        sni: 'b.example',
        ...(network === 'xhttp' ? { path: '/x' } : { serviceName: 'gs' }),
      } as const;
      const shared = await shareOne({ ...owner, target: `127.0.0.1:${site.port}` }, [sharer], 1);
      await using _engine = await serveInbounds(engine, shared.served);
      await expectServed(shared, engine === 'xray-newest' ? 'xray-new' : (engine as 'xray' | 'xray-new'));
      if (engine !== 'xray-newest') await expectServed(shared, 'sing-box');
      await expectServed(shared, 'mihomo');
    },
  );

  test.each(ENGINES)('of %s cannot have VLESS encryption', async (engine) => {
    const { encryption } = ENCRYPTION;
    const isTaken = async (fields: Partial<InboundRow>) => {
      const { served } = await shareOne({ protocol: 'vless', network: 'tcp', security: 'tls', ...fields }, [], 1);
      const input = engineConfigText({ inbounds: served, blocksPrivate: false }, [], START);
      return spawnSync(getProgramPath(engine), ['run', '-test', '-c', 'stdin:'], { input }).status === 0;
    };
    expect(await isTaken({ fallback: '127.0.0.1:80' })).toBe(true);
    expect(await isTaken({ encryption })).toBe(true);
    expect(await isTaken({ fallback: '127.0.0.1:80', encryption })).toBe(false);
  });

  test('of v2ray leads clients to a connection over WebSocket, and visitors to a site without the PROXY protocol', async () => {
    await using web = await startWebServer(false);
    const owner = { protocol: 'trojan', network: 'tcp', security: 'tls', fallback: `127.0.0.1:${web.port}` } as const;
    const shared = await shareOne(owner, [{ protocol: 'vless', network: 'ws', path: '/ws' }], 1);
    await using _engine = await serveInbounds('v2ray', shared.served);
    await expectServed(shared, 'xray');
    expect(await visit(shared.rows[0]?.port ?? 0, '/page', '127.0.0.20')).toBe('site /page 127.0.0.1');
  });

  test.each(['xray', 'xray-new'] as const)('of %s does not hide from where a user is connected', async (engine) => {
    const shared = await shareOne({ protocol: 'vless', network: 'tcp', security: 'tls' }, OVER_TLS, 1);
    await using running = await serveInbounds(engine, shared.served);
    await using echo = await startEcho();
    const api = connectEngine({ address: '127.0.0.1', port: running.apiPort });
    try {
      for (const [index, row] of shared.rows.entries()) {
        const { inbounds } = buildSubscription([row]);
        const subscription = buildSubscription([], {
          inbounds: inbounds.map((one) => ({ ...one, secrets: shared.secrets })),
        });
        const { body } = renderSubscription(subscription, SETTINGS, { format: 'xray', now: 0 });
        const sendThrough = `127.0.0.${20 + index}`;
        const [outbound] = (JSON.parse(body) as { readonly outbounds: readonly Json[] }).outbounds;
        const socksPort = await freePort();
        await using _client = await startProgram(engine, clientConfig(socksPort, { ...outbound, sendThrough }));
        const open = await openThrough(socksPort, echo.port);
        const seen = (await api.connected())?.get(USER_ID)?.map(({ address }) => address);
        expect(seen, row.network).toContain(sendThrough);
        open.destroy();
      }
    } finally {
      api.close();
    }
  });
});
