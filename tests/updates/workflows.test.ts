// What the workflows run is fixed: a tag of another repository can be moved, a commit cannot.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { root } from '../../scripts/run.ts';

const folder = join(root, '.github/workflows');
const workflows = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));

interface Job {
  readonly environment?: string;
  readonly permissions?: Readonly<Record<string, string>>;
}

it.each(workflows)('$name uses actions by their commit only, and names the version', ({ text }) => {
  const used = text.split('\n').filter((line) => /\buses:/.test(line));
  expect(used.length).toBeGreaterThan(0);
  for (const line of used) expect(line).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

it.each(workflows)('$name gives the key of releases to jobs of its environment only', ({ text }) => {
  const { jobs, permissions } = parse(text) as { jobs: Record<string, Job>; permissions: unknown };
  expect(permissions).toEqual({ contents: 'read' });
  for (const job of Object.values(jobs)) {
    const hasKey = JSON.stringify(job).includes('RELEASE_KEY');
    expect(job.environment).toBe(hasKey ? 'release' : undefined);
    if (!hasKey) expect(job.permissions).toBeUndefined();
  }
});
