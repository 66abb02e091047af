// Which program is an engine: decided by its version output, not by its name alone.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildArguments, findProgram } from './engine-program.ts';

let folder = '';
const path = process.env.PATH;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-program-'));
  process.env.PATH = folder;
});
afterEach(() => {
  process.env.PATH = path;
  rmSync(folder, { recursive: true, force: true });
});

/** A program that answers one argument. */
function writeProgram(name: string, argument: string, words: string): string {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\n[ "$1" = "${argument}" ] && echo "${words}" && exit 0\nexit 2\n`);
  chmodSync(file, 0o755);
  return file;
}

const found = (given: string | null = null) =>
  findProgram(given).catch((error: { code: string; message: string }) => `${error.code}: ${error.message}`);

describe.skipIf(process.platform === 'win32')('an engine', () => {
  it('is Xray on PATH before v2ray', async () => {
    expect(await found()).toBe('engine_missing: neither xray nor v2ray is on PATH');
    const v2ray = writeProgram('v2ray', '-version', 'V2Ray 4.34.0 (user) 20230518');
    expect(await found()).toEqual({ path: v2ray, name: 'v2ray', version: '4.34.0' });
    const xray = writeProgram('xray', 'version', 'Xray 26.3.27 (Xray, Penetrates Everything.)');
    expect(await found()).toEqual({ path: xray, name: 'xray', version: '26.3.27' });
  });

  it('is at a given path alone, whatever it is called there', async () => {
    writeProgram('xray', 'version', 'Xray 26.3.27 (Xray, Penetrates Everything.)');
    const other = writeProgram('engine', 'version', 'V2Ray 5.7.0 (V2Fly)');
    expect(await found(other)).toEqual({ path: other, name: 'v2ray', version: '5.7.0' });
    const gone = join(folder, 'gone');
    expect(await found(gone)).toBe(`engine_missing: ${gone} is neither Xray nor v2ray, or cannot be run`);
  });

  it('is no other program, and no folder', async () => {
    writeProgram('xray', 'version', 'sing-box version 1.14.1');
    mkdirSync(join(folder, 'v2ray'));
    expect(await found()).toBe('engine_missing: neither xray nor v2ray is on PATH');
  });

  it('is started as its version wants it', () => {
    const at = { path: '/x', version: '4.34.0' };
    expect(buildArguments({ ...at, name: 'v2ray' }, false)).toEqual(['-config', 'stdin:']);
    expect(buildArguments({ ...at, name: 'v2ray' }, true)).toEqual(['-test', '-config', 'stdin:']);
    expect(buildArguments({ ...at, name: 'v2ray', version: '5.7.0' }, true)).toEqual([
      'run',
      '-test',
      '-config',
      'stdin:',
    ]);
    expect(buildArguments({ ...at, name: 'xray' }, false)).toEqual(['run', '-config', 'stdin:']);
  });
});
