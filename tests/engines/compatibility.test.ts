// The file by which the panel predicts who can connect, against fresh measurements of the pinned engines and clients: equal in every cell.
// `npm run compatibility` writes the file; with XRAY=/path/to/xray and SINCE=26.11.2 it adds that program, for this version and newer; with
// ONLY=encryption,mldsa65 it measures only the rows whose names end so.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { COMPATIBILITY, type Compatibility, type MeasuredClient } from '../../src/domain/nodes/compatibility.ts';
import { isOlder, REALITY_NEEDS_MLKEM_SINCE } from '../../src/domain/nodes/engine-facts.ts';
import { findProgram } from '../../src/engines/engine-program.ts';
import type { RunnableServer } from '../support/engine-process.ts';
import type { EngineProgram } from '../support/engines.ts';
import { PINS } from '../support/pinned-programs.ts';
import { getProgramPath, whyWithout } from './found.ts';
import { type ClientRun, measureEngine } from './measure.ts';

const FILE = join(import.meta.dirname, '../../src/domain/nodes/compatibility.json');
const isWriting = process.env.WRITE_COMPATIBILITY === '1';

interface Wanted {
  readonly program: RunnableServer;
  readonly path: string;
  /** The first version that behaves as this one. */
  readonly since: string;
}

function listWanted(): readonly Wanted[] {
  const { XRAY, SINCE } = process.env;
  if (isWriting && (XRAY !== undefined || SINCE !== undefined)) {
    if (XRAY === undefined || !/^\d+(\.\d+)*$/.test(SINCE ?? ''))
      throw new Error('XRAY (a path) and SINCE (a version) go together');
    return [{ program: 'xray', path: XRAY, since: SINCE ?? '' }];
  }
  return [
    { program: 'xray', path: getProgramPath('xray'), since: '0' },
    { program: 'xray-new', path: getProgramPath('xray-new'), since: '26.6.27' },
    { program: 'xray-newest', path: getProgramPath('xray-newest'), since: REALITY_NEEDS_MLKEM_SINCE },
  ];
}

const CLIENTS: readonly ClientRun[] = [
  { core: 'xray', program: 'xray', wireguard: 'xray' },
  { core: 'xray', program: 'xray-new', wireguard: 'xray-new' },
  { core: 'xray', program: 'xray-newest', wireguard: 'xray-newest' },
  { core: 'sing-box', program: 'sing-box-older', wireguard: 'sing-box-older-wireguard' },
  { core: 'sing-box', program: 'sing-box', wireguard: 'sing-box-wireguard' },
  { core: 'mihomo', program: 'mihomo', wireguard: 'mihomo' },
];

const describeClient = ({ core, program }: ClientRun): MeasuredClient => ({
  core,
  version: PINS[program].version.slice(1),
});
const PROGRAMS: readonly EngineProgram[] = [
  ...new Set(CLIENTS.flatMap(({ program, wireguard }) => [program, wireguard])),
];

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-compatibility-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const missing = whyWithout(...PROGRAMS);
describe.skipIf(missing !== null)(`who can connect ${missing ?? ''}`.trim(), () => {
  let { engines, cells: all } = COMPATIBILITY;
  test.each(missing === null ? listWanted() : [])('$program', async ({ program, path, since }) => {
    const { name, version } = await findProgram(path);
    const { ONLY = '' } = isWriting ? process.env : {};
    const isWanted = (key: string) => ONLY.split(',').some((part) => key.endsWith(part));
    const measured = await measureEngine({ program, path, name, version }, CLIENTS, folder, isWanted);
    const before = ONLY === '' ? {} : all[`${name}-${version}`];
    const shapes = Object.keys(measured[0] ?? {});
    const words = shapes.map((shape) => [shape, measured.map((rows) => rows[shape]).join(' ')]);
    const cells: Compatibility['cells'][string] = { ...before, ...Object.fromEntries(words) };
    if (!isWriting) return expect(cells).toEqual(COMPATIBILITY.cells[`${name}-${version}`]);
    engines = [...engines.filter((one) => one.version !== version), { name, version, since }];
    engines = engines.toSorted((a, b) => (isOlder(a.since, b.since) ? -1 : 1));
    all = { ...all, [`${name}-${version}`]: cells };
    const written: Compatibility = { engines, clients: CLIENTS.map(describeClient), cells: all };
    writeFileSync(FILE, `${JSON.stringify(written, null, 2)}\n`);
  });
});
