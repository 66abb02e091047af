// What systemd itself thinks of the services: how much of the machine is left to one that was taken over.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { writeUnit } from '../../src/agent/service.ts';
import { writePanelUnit } from '../../src/panel/install.ts';
import { tempFolder } from '../support/temp-store.ts';

const MAX_EXPOSED = 2.0;

const UNITS = {
  node: writeUnit({}, ['/bin/true']),
  panel: writePanelUnit({ mode: 'domain', domain: 'panel.example.org' }, ['/bin/true']),
};

it.skipIf(inject('noAnalyzer') !== null).each(Object.entries(UNITS))(
  'the service of a %s has an exposure of 2.0 at most',
  (_name, unit) => {
    using folder = tempFolder();
    const file = join(folder.path, 'examined.service');
    writeFileSync(file, unit);
    const verdict = execFileSync('systemd-analyze', ['security', '--offline=true', '--no-pager', file], {
      encoding: 'utf8',
    });
    const [, level] = /Overall exposure level[^:]*: ([\d.]+)/.exec(verdict) ?? [];
    expect(Number(level)).toBeLessThanOrEqual(MAX_EXPOSED);
  },
);
