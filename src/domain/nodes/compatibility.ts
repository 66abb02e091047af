// Which combinations of connection, engine and client pass traffic, measured with real programs: one cell for each shape and fingerprint.
//
// compatibility.json is written by `npm run compatibility` and compared with fresh measurements by tests/engines/compatibility.test.ts.
import type { FINGERPRINTS } from '../../contract/inbounds.ts';
import type { CLIENT_CORES } from '../../contract/nodes/engine-update.ts';
import type { XhttpMode } from '../../contract/xhttp.ts';
import data from './compatibility.json' with { type: 'json' };
import { type EngineVersion, isOlder, type ServedShape } from './engine-facts.ts';
import { isObfuscated } from './xhttp.ts';

export type ClientCore = (typeof CLIENT_CORES)[number];

/**
 * `varies`: depends on a random choice of the client at its start, or on its version. `left_out`: the client's format cannot express it. `unserved`:
 * the engine lacks a feature it needs.
 */
export type Outcome = 'works' | 'fails' | 'varies' | 'left_out' | 'unserved';

/** Letters of the cells in the file. */
export const OUTCOMES: Readonly<Record<string, Outcome>> = {
  '+': 'works',
  '-': 'fails',
  '~': 'varies',
  '.': 'left_out',
  '!': 'unserved',
};

export interface MeasuredEngine extends EngineVersion {
  /** The first version with this behaviour. */
  readonly since: string;
}

export interface MeasuredClient {
  readonly core: ClientCore;
  readonly version: string;
}

/** By shape: a word for each of the clients; in it a letter for no fingerprint, then one for each of `MEASURED_FINGERPRINTS`. */
type Cells = Readonly<Record<string, string>>;

export interface Compatibility {
  /** Oldest first. */
  readonly engines: readonly MeasuredEngine[];
  readonly clients: readonly MeasuredClient[];
  /** By engine (`xray-26.3.27`). */
  readonly cells: Readonly<Record<string, Cells>>;
}

export const COMPATIBILITY = data as Compatibility;

export const MEASURED_FINGERPRINTS = [
  'chrome',
  'firefox',
  'safari',
  'ios',
  'android',
  'edge',
  'random',
  'randomized',
] as const satisfies typeof FINGERPRINTS;

const FINGERPRINT_NAMES: readonly string[] = MEASURED_FINGERPRINTS;

/** Properties of a connection that decide the outcome. */
export interface MeasuredShape extends ServedShape {
  readonly fingerprint: string | null;
  readonly obfsPassword: string | null;
  readonly hopPorts: string | null;
  readonly fragment: string | null;
  readonly noise: string | null;
  readonly mux: number | null;
  readonly xhttpMode: XhttpMode | null;
}

/** Options of a shape, each of which is measured alone. */
const MEASURED_OPTIONS: Readonly<Record<string, (shape: MeasuredShape) => boolean>> = {
  hopping: ({ hopPorts }) => hopPorts !== null,
  fragment: ({ fragment }) => fragment !== null,
  noise: ({ noise }) => noise !== null,
  mux: ({ mux }) => mux !== null,
  'packet-up': ({ xhttpMode }) => xhttpMode === 'packet-up',
  'stream-up': ({ xhttpMode }) => xhttpMode === 'stream-up',
  'stream-one': ({ xhttpMode }) => xhttpMode === 'stream-one',
  extra: ({ xhttpExtra }) => xhttpExtra !== null && !isObfuscated(xhttpExtra),
  obfuscated: ({ xhttpExtra }) => isObfuscated(xhttpExtra),
  encryption: ({ encryption }) => encryption !== null,
  mldsa65: ({ mldsa65Verify }) => mldsa65Verify !== null,
};

/** The keys of a shape in the file: without options, then with each that it has. What VLESS does with an option stands for VMess and Trojan. */
export function listShapeKeys(shape: MeasuredShape): readonly [string, ...string[]] {
  const { protocol } = shape;
  const measured = protocol === 'vmess' || protocol === 'trojan' ? ({ ...shape, protocol: 'vless' } as const) : shape;
  const options = Object.entries(MEASURED_OPTIONS).filter(([, hasOption]) => hasOption(shape));
  return [shapeKey(shape), ...options.map(([name]) => `${shapeKey(measured)} ${name}`)];
}

function shapeKey({ protocol, network, security, flow, method, obfsPassword }: MeasuredShape): string {
  const parts = [
    protocol,
    network,
    security,
    flow === null ? '' : 'vision',
    method ?? '',
    obfsPassword ? 'salamander' : '',
  ];
  return parts.filter((part) => part !== '').join(' ');
}

/** The measured engine that represents a version; null: none. */
export function findMeasured({ name, version }: EngineVersion): MeasuredEngine | null {
  return COMPATIBILITY.engines.findLast((one) => one.name === name && !isOlder(version, one.since)) ?? null;
}

/** null: not measured, or an unknown engine. */
export function predictOutcome(engine: EngineVersion | null, core: ClientCore, shape: MeasuredShape): Outcome | null {
  const measured = engine && findMeasured(engine);
  if (!measured) return null;
  const cells = COMPATIBILITY.cells[`${measured.name}-${measured.version}`] ?? {};
  const place = shape.fingerprint === null ? 0 : FINGERPRINT_NAMES.indexOf(shape.fingerprint) + 1;
  const [plain, ...withOptions] = listShapeKeys(shape);
  const found = COMPATIBILITY.clients.flatMap((client, index) => {
    if (client.core !== core) return [];
    const findOutcome = (key: string) => {
      const letters = cells[key]?.split(' ')[index];
      return OUTCOMES[letters?.[place] ?? letters?.[0] ?? ''];
    };
    const outcome = findOutcome(plain);
    if (outcome !== 'works') return outcome ?? [];
    return withOptions.map(findOutcome).find((other) => other !== undefined && other !== 'works') ?? outcome;
  });
  const [first = null, ...others] = found;
  return others.every((other) => other === first) ? first : 'varies';
}
