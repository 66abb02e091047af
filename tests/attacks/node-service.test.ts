// What systemd itself thinks of the service of a node's machine: how much of the machine is left to one that was taken over.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { writeUnit } from '../../src/panel/node/node-service.ts';
import { tempFolder } from '../support/temp-store.ts';

const MOST_EXPOSED = 2.0;

it.skipIf(inject('noAnalyzer') !== null)('the service of a node has an exposure of 2.0 at most', () => {
  using folder = tempFolder();
  const file = join(folder.path, 'gatehouse-node.service');
  writeFileSync(file, writeUnit({}, ['/bin/true']));
  const verdict = execFileSync('systemd-analyze', ['security', '--offline=true', '--no-pager', file], {
    encoding: 'utf8',
  });
  const [, level] = /Overall exposure level[^:]*: ([\d.]+)/.exec(verdict) ?? [];
  expect(Number(level)).toBeLessThanOrEqual(MOST_EXPOSED);
});
