// Engines from a file: an archive is verified by its own SHA-256, an engine package by that of the program in it.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { create } from 'tar';
import { expect, it } from 'vitest';
import { tempFolder } from '../../tests/support/temp-store.ts';
import { installProgram, listInstalled } from './programs.ts';

const PROGRAM = '#!/bin/sh\necho "Xray 26.7.28 (a test)"\n';
const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex');

function packEngine(folder: string): string {
  mkdirSync(join(folder, 'package'));
  writeFileSync(join(folder, 'package/xray'), PROGRAM, { mode: 0o755 });
  writeFileSync(join(folder, 'package/package.json'), '{}');
  const file = join(folder, 'gatehouse-engine.tgz');
  create({ sync: true, gzip: true, file, cwd: folder }, ['package/xray', 'package/package.json']);
  return file;
}

it('installs the package of an engine whose program is the expected one', async () => {
  using folder = tempFolder();
  const file = packEngine(folder.path);
  const data = join(folder.path, 'data');
  const wrong = installProgram(data, file, { program: sha256('another') });
  await expect(wrong).rejects.toThrow(`The SHA-256 of the engine in ${file} is ${sha256(PROGRAM)}, and should be`);
  expect([listInstalled(data), readdirSync(join(data, 'programs'))]).toEqual([[], []]);
  expect(await installProgram(data, file, { program: sha256(PROGRAM) })).toMatchObject({ version: '26.7.28' });
  expect(listInstalled(data)).toEqual(['xray-26.7.28']);
});

it('compares an archive as a whole', async () => {
  using folder = tempFolder();
  const file = packEngine(folder.path);
  await expect(installProgram(folder.path, file, { archive: sha256('another') })).rejects.toThrow('The SHA-256 of');
});
