// Predictions for measured versions, versions between them, and unmeasured combinations.
import { statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FINGERPRINTS } from '../../contract/inbounds.ts';
import { CLIENT_CORES } from '../../contract/nodes/engine-update.ts';
import {
  COMPATIBILITY,
  findMeasured,
  listShapeKeys,
  MEASURED_FINGERPRINTS,
  type MeasuredShape,
  OUTCOMES,
  predictOutcome,
} from './compatibility.ts';
import { REALITY_NEEDS_MLKEM_SINCE } from './engine-facts.ts';

const VISION: MeasuredShape = {
  protocol: 'vless',
  network: 'tcp',
  security: 'reality',
  flow: 'xtls-rprx-vision',
  method: null,
  fingerprint: null,
  obfsPassword: null,
  hopPorts: null,
  fragment: null,
  noise: null,
  mux: null,
  xhttpMode: null,
  xhttpExtra: null,
  encryption: null,
  mldsa65Verify: null,
};
const xray = (version: string) => ({ name: 'xray', version });

describe('the file', () => {
  it('has a letter of each measured engine and client for each shape and fingerprint', () => {
    const lengths = new Set([1, 1 + MEASURED_FINGERPRINTS.length]);
    const keys = new Set<string>();
    for (const { name, version } of COMPATIBILITY.engines) {
      const cells = COMPATIBILITY.cells[`${name}-${version}`] ?? {};
      keys.add(Object.keys(cells).join());
      for (const words of Object.values(cells).map((row) => row.split(' '))) {
        expect(words).toHaveLength(COMPATIBILITY.clients.length);
        for (const word of words) {
          expect(lengths).toContain(word.length);
          expect([...word].filter((letter) => OUTCOMES[letter] === undefined)).toEqual([]);
        }
      }
    }
    expect(keys.size).toBe(1);
    expect(MEASURED_FINGERPRINTS).toEqual(FINGERPRINTS);
    expect(new Set(COMPATIBILITY.clients.map(({ core }) => core))).toEqual(new Set(CLIENT_CORES));
  });

  it('stays small: pages load it', () => {
    expect(statSync(new URL('./compatibility.json', import.meta.url)).size).toBeLessThan(64 * 1024);
  });
});

describe('a prediction', () => {
  it('goes by the newest measured version that behaves alike', () => {
    expect(findMeasured(xray('26.9.7'))?.version).toBe('26.7.28');
    expect(findMeasured(xray(REALITY_NEEDS_MLKEM_SINCE))?.version).toBe('26.10.10');
    expect(findMeasured(xray('99.1.1'))?.version).toBe('26.10.10');
    expect(findMeasured(xray('25.1.1'))?.version).toBe('26.3.27');
    expect(findMeasured({ name: 'v2ray', version: '4.34.0' })).toBeNull();
  });

  it('says who gets through REALITY since 26.9.8, by program and fingerprint', () => {
    const since = (core: (typeof CLIENT_CORES)[number], fingerprint: string | null, version = '26.9.8') =>
      predictOutcome(xray(version), core, { ...VISION, fingerprint });
    expect(CLIENT_CORES.map((core) => since(core, null))).toEqual(['works', 'fails', 'works']);
    expect(CLIENT_CORES.map((core) => since(core, 'firefox'))).toEqual(['works', 'fails', 'fails']);
    expect(CLIENT_CORES.map((core) => since(core, 'edge'))).toEqual(['fails', 'fails', 'fails']);
    expect(CLIENT_CORES.map((core) => since(core, 'random'))).toEqual(['varies', 'fails', 'varies']);
    expect(CLIENT_CORES.map((core) => since(core, 'edge', '26.9.7'))).toEqual(['works', 'works', 'works']);
  });

  it('is that of the shape without the options of apps, unless one of them breaks it', () => {
    const options = { fragment: 'tlshello,100-200,10-20', mux: 8 };
    expect(listShapeKeys({ ...VISION, flow: null, ...options })).toEqual([
      'vless tcp reality',
      'vless tcp reality fragment',
      'vless tcp reality mux',
    ]);
    for (const core of CLIENT_CORES)
      for (const version of ['26.3.27', '26.7.28', '26.10.10']) {
        const shape = { ...VISION, fingerprint: 'chrome' };
        const plain = predictOutcome(xray(version), core, shape);
        expect(predictOutcome(xray(version), core, { ...shape, ...options, noise: '1,10,0' })).toBe(plain);
      }
  });

  it('is the worst of the shape with its fingerprint and of each part', () => {
    const outcomes = (change: Partial<MeasuredShape>, version = '26.7.28') =>
      CLIENT_CORES.map((core) => predictOutcome(xray(version), core, { ...VISION, flow: null, ...change }));
    const xhttp = { network: 'xhttp', xhttpExtra: { seqPlacement: 'header' } } as const;
    expect(outcomes({})).toEqual(['works', 'works', 'works']);
    expect(outcomes({ encryption: 'e' })).toEqual(['works', 'left_out', 'works']);
    expect(outcomes({ mldsa65Verify: 'v' })).toEqual(['works', 'works', 'works']);
    expect(outcomes({ mldsa65Verify: 'v', fingerprint: 'edge' }, '26.10.10')).toEqual(['fails', 'fails', 'fails']);
    expect(outcomes(xhttp)).toEqual(['works', 'left_out', 'fails']);
    expect(outcomes(xhttp, '26.3.27')).toEqual(['varies', 'left_out', 'fails']);
    expect(outcomes({ network: 'xhttp', xhttpMode: 'stream-up', xhttpExtra: { xPaddingBytes: 9 } })).toEqual([
      'works',
      'left_out',
      'works',
    ]);
  });

  it('is none for what was not measured', () => {
    expect(predictOutcome(null, 'xray', VISION)).toBeNull();
    expect(predictOutcome(xray('26.10.10'), 'xray', { ...VISION, protocol: 'vmess' })).toBeNull();
    expect(listShapeKeys({ ...VISION, protocol: 'vmess' })).toEqual(['vmess tcp reality vision']);
  });
});
