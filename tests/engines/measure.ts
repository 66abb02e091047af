// Measures which connections move bytes between a real engine and a real client: all shapes and fingerprints in one process on either side, each
// by what the product writes for it.
import { randomBytes } from 'node:crypto';
import { certificateMaker } from '../../src/adapters/certificates/connection-certificates.ts';
import { nodeCrypto } from '../../src/adapters/crypto.ts';
import { METHODS, PROTOCOLS } from '../../src/contract/inbounds.ts';
import { XHTTP_MODES } from '../../src/contract/xhttp.ts';
import { makeMldsa65Pair, makeVlessPair } from '../../src/core/inbounds/inbound-key-pairs.ts';
import type { InboundSecrets } from '../../src/core/ports/credentials.ts';
import type { EngineInbound } from '../../src/core/ports/engines.ts';
import type { InboundRow } from '../../src/core/ports/inbounds.ts';
import { type ClientCore, listShapeKeys, MEASURED_FINGERPRINTS } from '../../src/domain/nodes/compatibility.ts';
import { type EngineVersion, missingFacts } from '../../src/domain/nodes/engine-facts.ts';
import {
  allowedNetworks,
  allowedSecurities,
  PATH_NETWORKS,
  shapeFields,
} from '../../src/domain/nodes/inbound-shape.ts';
import { hasKeys, keyFor } from '../../src/domain/nodes/shadowsocks.ts';
import { NO_SECRETS } from '../../src/subscription/entry.ts';
import { WRITERS } from '../../src/subscription/render.ts';
import type { RunnableServer } from '../support/engine-process.ts';
import { freePort } from '../support/free-port.ts';
import { sampleInbound } from '../support/subscription-samples.ts';
import { type ManyClient, openConnections, serveInbounds } from './many-connections.ts';
import { ownAddress, startSite } from './real-engine.ts';
import { redirectPorts } from './redirect-ports.ts';

export interface Sample {
  readonly key: string;
  /** Whether apps use an option with it. */
  readonly hasOptions: boolean;
  readonly row: InboundRow;
  readonly secrets: InboundSecrets;
  readonly served: EngineInbound;
}

const SNI = 'a.example';

const VLESS = makeVlessPair(nodeCrypto, 'mlkem768', 'native');
const MLDSA65 = makeMldsa65Pair(nodeCrypto);
/** How many certificates of the maker make the chain long enough for ML-DSA-65. */
export const LONG_CHAIN = 12;

const XHTTP: readonly Partial<InboundRow>[] = [
  ...XHTTP_MODES.filter((mode) => mode !== 'auto').map((xhttpMode) => ({ xhttpMode })),
  {
    xhttpExtra: {
      xPaddingBytes: '200-400',
      noGRPCHeader: true,
      scMaxEachPostBytes: 500_000,
      xmux: { maxConcurrency: '8-16', hMaxRequestTimes: '600-900', hMaxReusableSecs: '1800-3000' },
    },
  },
  {
    xhttpExtra: {
      xPaddingObfsMode: true,
      xPaddingKey: 'dc',
      xPaddingHeader: 'X-Cache',
      xPaddingPlacement: 'cookie',
      xPaddingMethod: 'tokenish',
      uplinkHTTPMethod: 'PUT',
      sessionIDPlacement: 'query',
      sessionIDKey: 'sid',
      seqPlacement: 'header',
      seqKey: 'X-Part',
    },
  },
];

const shapeFieldsOf = ({ protocol = 'vless', network = 'tcp', security = 'none' }: Partial<InboundRow>) =>
  shapeFields({ protocol, network, security });

/** Each option of a shape, alone. What VLESS does with TCP stands for VMess and Trojan. */
function listOptions(shape: Partial<InboundRow>): Partial<InboundRow>[] {
  if (shape.protocol === 'vmess' || shape.protocol === 'trojan') return [];
  const fields = shapeFieldsOf(shape);
  const options: Partial<InboundRow>[] = [];
  if (fields.has('hop_ports')) options.push({ hopPorts: HOPPING });
  if (fields.has('fragment')) options.push({ fragment: 'tlshello,100-200,1-2' });
  if (fields.has('noise')) options.push({ noise: '2,50-100,1-2' });
  if (fields.has('mux') && !shape.flow) options.push({ mux: 8 });
  if (fields.has('xhttp_extra')) options.push(...XHTTP);
  if (fields.has('encryption')) options.push({ encryption: VLESS.encryption });
  if (fields.has('mldsa65_verify')) options.push({ mldsa65Verify: MLDSA65.mldsa65_verify });
  return options.map((option) => ({ ...shape, ...option }));
}

/** Stands for ports that are not chosen yet. */
const HOPPING = 'free ports';

/** Each shape alone, then with each fingerprint, then with each option. */
function listShapes(): Partial<InboundRow>[] {
  const plain = PROTOCOLS.filter((protocol) => protocol !== 'shadowsocks').flatMap((protocol) =>
    allowedSecurities(protocol).flatMap((security) =>
      allowedNetworks({ protocol, security }).map((network): Partial<InboundRow> => ({ protocol, security, network })),
    ),
  );
  const more: Partial<InboundRow>[] = [
    { protocol: 'hysteria2', security: 'tls', network: 'quic', obfsPassword: 'ob?us&cated' },
    { protocol: 'vless', security: 'tls', network: 'tcp', flow: 'xtls-rprx-vision' },
    { protocol: 'vless', security: 'reality', network: 'tcp', flow: 'xtls-rprx-vision' },
    ...METHODS.map((method): Partial<InboundRow> => ({ protocol: 'shadowsocks', method })),
  ];
  return [...plain, ...more].flatMap((shape) => {
    const imitated = shapeFieldsOf(shape).has('fingerprint') ? MEASURED_FINGERPRINTS : [];
    return [...[null, ...imitated].map((fingerprint) => ({ ...shape, fingerprint })), ...listOptions(shape)];
  });
}

/** Connections of every shape to this machine, each on a port of its own. `longPort`: of a site with a long chain of certificates. */
export async function createSamples(sitePort: number, longPort = sitePort): Promise<readonly Sample[]> {
  const { key: certificateKey, served: certificate } = await certificateMaker.makeSelfSigned(SNI, Date.now());
  const { privateKey, publicKey } = nodeCrypto.newX25519();
  const serverKey = randomBytes(32).toString('base64');
  const samples: Sample[] = [];
  for (const [index, shape] of listShapes().entries()) {
    const { security = 'none', network = 'tcp', protocol = 'vless', method = null } = shape;
    const isReality = security === 'reality';
    const hasPair = isReality || protocol === 'wireguard';
    const hopPorts = shape.hopPorts === HOPPING ? `${await freePort()},${await freePort()}` : null;
    const row = sampleInbound({
      id: index + 1,
      tag: `in-${index}`,
      name: `connection ${index}`,
      // Packets of WireGuard leave by the interface that leads out, which does not reach loopback.
      host: protocol === 'wireguard' ? ownAddress() : '127.0.0.1',
      port: await freePort(),
      ...shape,
      hopPorts,
      ...(security !== 'none' && { sni: SNI }),
      ...(PATH_NETWORKS.includes(network) && { path: '/a/path' }),
      ...(network === 'grpc' && { serviceName: 'a-service' }),
      ...(hasPair && { publicKey }),
      ...(isReality && {
        shortId: '6ba85179e30d4fc2',
        target: `127.0.0.1:${shape.mldsa65Verify ? longPort : sitePort}`,
      }),
      ...(protocol === 'wireguard' && { addressPool: '10.64.0.0/10' }),
      ...(security === 'tls' && { certificate }),
    });
    const ownKey = method !== null && hasKeys(method) ? keyFor(method, serverKey) : null;
    const isPinned = security === 'tls';
    const keys = listShapeKeys(row);
    samples.push({
      key: keys.at(-1) ?? '',
      hasOptions: keys.length > 1,
      row,
      secrets: {
        serverKey: ownKey,
        certificate: isPinned ? certificate.chain : null,
        pin: isPinned ? certificate.sha256 : null,
      },
      served: {
        ...row,
        privateKey: hasPair ? privateKey : null,
        certificateKey: isPinned ? certificateKey : null,
        decryption: row.encryption === null ? null : VLESS.decryption,
        mldsa65Seed: row.mldsa65Verify === null ? null : MLDSA65.mldsa65_seed,
        serverKey: ownKey,
      },
    });
  }
  return samples;
}

const placeOf = (fingerprint: (typeof MEASURED_FINGERPRINTS)[number]) => MEASURED_FINGERPRINTS.indexOf(fingerprint) + 1;
const [RANDOM, RANDOMIZED, ANDROID] = [placeOf('random'), placeOf('randomized'), placeOf('android')];

/**
 * What a client draws at its start differs from one measurement to the next. `random` is one of the browsers, but never `android`: it varies where some
 * of them work and some do not. `randomized` is a handshake of its own, of which about half fail in every client.
 */
function markDrawn(row: string): string {
  if (row.length === 1) return row;
  const named = new Set([...row].filter((_, place) => ![RANDOM, RANDOMIZED, ANDROID].includes(place)));
  if (!named.has('+')) return row;
  const drawn = new Map([[RANDOMIZED, '~'], ...(named.has('-') ? [[RANDOM, '~'] as const] : [])] as const);
  return [...row].map((letter, place) => drawn.get(place) ?? letter).join('');
}

/** Writes the letters of each shape, in the order of the samples. */
function writeRows(samples: readonly Sample[], letterOf: (sample: Sample) => string): Record<string, string> {
  const rows: Record<string, string> = {};
  for (const sample of samples) rows[sample.key] = `${rows[sample.key] ?? ''}${letterOf(sample)}`;
  return Object.fromEntries(Object.entries(rows).map(([key, row]) => [key, markDrawn(row)]));
}

export interface ClientRun {
  readonly core: ClientCore;
  /** All but WireGuard. */
  readonly program: ManyClient;
  /** WireGuard alone. */
  readonly wireguard: ManyClient;
}

/** One that is refused is not ended by every client. */
const TRIAL = { atOnce: 16, attempts: { count: 3, ms: 5000 } };

export type MeasuredRows = Readonly<Record<string, string>>;

/** Starts the engine once, and the clients one after the other. */
export async function measureEngine(
  engine: EngineVersion & { readonly program: RunnableServer; readonly path: string },
  clients: readonly ClientRun[],
  folder: string,
  isWanted: (key: string) => boolean = () => true,
): Promise<readonly MeasuredRows[]> {
  await using site = await startSite();
  await using longSite = await startSite(LONG_CHAIN);
  const samples = (await createSamples(site.port, longSite.port)).filter(({ key }) => isWanted(key));
  const isServed = ({ row }: Sample) => missingFacts(row, engine).length === 0;
  const served = samples.filter(isServed).map((sample) => sample.served);
  await using _engine = await serveInbounds(engine.program, served, engine.path);
  await using redirected = new AsyncDisposableStack();
  for (const { hopPorts, port } of served)
    if (hopPorts !== null) redirected.use(await redirectPorts(hopPorts.split(',').map(Number), port));
  const measured: MeasuredRows[] = [];
  for (const client of clients) {
    const writer = WRITERS[client.core];
    const isCarried = ({ row }: Sample) => writer.canCarry(row, row.host ?? '');
    const tried = samples.filter((sample) => isServed(sample) && isCarried(sample));
    const working = new Set<Sample>();
    for (const isWireguard of [false, true]) {
      const part = tried.filter(({ row }) => (row.protocol === 'wireguard') === isWireguard);
      if (part.length === 0) continue;
      const byRow = new Map(part.map((sample) => [sample.row, sample]));
      const secretsOf = (row: InboundRow) => byRow.get(row)?.secrets ?? NO_SECRETS;
      const wanted = isWireguard ? client.wireguard : client.program;
      const trial = { ...TRIAL, secretsOf, host: ownAddress() };
      await using open = await openConnections(wanted, [...byRow.keys()], folder, trial);
      for (const row of await open.working()) working.add(byRow.get(row) as Sample);
    }
    const letterOf = (sample: Sample) => {
      if (!isServed(sample)) return '!';
      if (!isCarried(sample)) return '.';
      return working.has(sample) ? '+' : '-';
    };
    measured.push(writeRows(samples, letterOf));
  }
  return measured;
}
