// After packing: reads the fuses out of every application in dist/ and compares them with what electron-builder.yml says.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { parse } from 'yaml';
import { root } from './run.ts';

const SET = 0x31;
const APPLICATIONS = ['linux*-unpacked/gatehouse', 'win*-unpacked/Gatehouse.exe', 'mac*/Gatehouse.app'];

const { electronFuses } = parse(readFileSync(join(root, 'electron-builder.yml'), 'utf8'));
const wanted = new Map(Object.entries(electronFuses).map(([name, isOn]) => [name.toLowerCase(), isOn]));
const found = globSync(APPLICATIONS.map((pattern) => join(root, 'dist', pattern)));
if (found.length === 0) throw new Error('Nothing is packed in dist/: run `npx electron-builder --dir` first.');

let wrong = 0;
for (const application of found) {
  const wire: Readonly<Record<number, unknown>> = { ...(await getCurrentFuseWire(application)) };
  for (const [index, name] of Object.entries(FuseV1Options).filter(([index]) => /^\d+$/.test(index))) {
    const isOn = wire[Number(index)] === SET;
    if (isOn === wanted.get(String(name).toLowerCase())) continue;
    wrong += 1;
    console.error(`${application}: the fuse ${name} is ${isOn ? 'on' : 'off'}`);
  }
}
console.log(`${found.length} applications, ${wrong} wrong fuses`);
process.exitCode = wrong === 0 ? 0 : 1;
