// Which connections move bytes between which engine and which client: measured with real programs, one cell for each shape and fingerprint.
//
// compatibility.json is written by `npm run compatibility` and compared with fresh measurements by tests/engines/compatibility.test.ts.
import type { FINGERPRINTS } from '../../contract/inbounds.ts';
import type { CLIENT_CORES } from '../../contract/nodes/engine-update.ts';
import data from './compatibility.json' with { type: 'json' };
import { type EngineVersion, isOlder, type ServedShape } from './engine-facts.ts';

export type ClientCore = (typeof CLIENT_CORES)[number];

/**
 * `varies`: by a draw of the client at its start, or by its version. `left_out`: the client's format cannot carry it. `unserved`: the engine
 * lacks what it needs.
 */
export type Outcome = 'works' | 'fails' | 'varies' | 'left_out' | 'unserved';

/** A cell as the file has it. */
export const OUTCOMES: Readonly<Record<string, Outcome>> = {
  '+': 'works',
  '-': 'fails',
  '~': 'varies',
  '.': 'left_out',
  '!': 'unserved',
};

export interface MeasuredEngine extends EngineVersion {
  /** The first version that behaves like it. */
  readonly since: string;
}

export interface MeasuredClient {
  readonly core: ClientCore;
  readonly version: string;
}

/** By client (`sing-box-1.14.1`) and shape: a letter for no fingerprint, then one for each of `MEASURED_FINGERPRINTS`. */
type Cells = Readonly<Record<string, Readonly<Record<string, string>>>>;

export interface Compatibility {
  /** The oldest first. */
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

/** What decides whether bytes move. */
export interface MeasuredShape extends ServedShape {
  readonly fingerprint: string | null;
  readonly obfsPassword: string | null;
}

/** The name of a shape in the file. */
export function shapeKey({
  protocol,
  network,
  security,
  flow,
  method,
  obfsPassword,
}: Omit<MeasuredShape, 'fingerprint'>) {
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

/** The measured engine that stands for a version; null: none does. */
export function findMeasured({ name, version }: EngineVersion): MeasuredEngine | null {
  return COMPATIBILITY.engines.findLast((one) => one.name === name && !isOlder(version, one.since)) ?? null;
}

/** null: not measured, as with an engine that is not known. */
export function predictOutcome(engine: EngineVersion | null, core: ClientCore, shape: MeasuredShape): Outcome | null {
  const measured = engine && findMeasured(engine);
  if (!measured) return null;
  const cells = COMPATIBILITY.cells[`${measured.name}-${measured.version}`] ?? {};
  const key = shapeKey(shape);
  const place = shape.fingerprint === null ? 0 : FINGERPRINT_NAMES.indexOf(shape.fingerprint) + 1;
  const found = COMPATIBILITY.clients
    .filter((client) => client.core === core)
    .flatMap((client) => {
      const row = cells[`${client.core}-${client.version}`]?.[key] ?? '';
      return OUTCOMES[row[place] ?? row[0] ?? ''] ?? [];
    });
  const [first = null, ...others] = found;
  return others.every((other) => other === first) ? first : 'varies';
}
