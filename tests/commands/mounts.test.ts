// What root can leave behind, mounts and network namespaces, is found and removed too.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { namespacePrefix, openTestRun } from '../../scripts/test-run.ts';

const canMount = process.platform === 'linux' && process.getuid?.() === 0;

it.runIf(canMount)('a mount and a network namespace are named and removed', () => {
  const run = openTestRun(0);
  const namespace = `${namespacePrefix(run.folder)}x`;
  try {
    run.openSuite('suite');
    const disk = join(run.folder, 'suite/t/disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', disk]);
    execFileSync('ip', ['netns', 'add', namespace]);
    expect(run.findLeftovers('suite')).toContainEqual({ kind: 'mount', name: disk });
    expect(run.findLeftovers()).toContainEqual({ kind: 'namespace', name: namespace });
    run.remove();
    expect(existsSync(run.folder)).toBe(false);
    expect(existsSync(`/run/netns/${namespace}`)).toBe(false);
  } finally {
    run.remove();
  }
});
