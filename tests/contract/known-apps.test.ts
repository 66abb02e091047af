// The table of known applications in docs/subscriptions.md is that of the code.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { KNOWN_APPS } from '../../src/domain/subscription/known-apps.ts';

it('lists each application with what it gets', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/subscriptions.md'), 'utf8');
  const rows = KNOWN_APPS.map(
    ({ name, userAgent, format, source }) => `| ${name} | \`${userAgent}\` | \`${format}\` | ${source} |`,
  );
  expect(page).toContain(`${rows.join('\n')}\n\n`);
});
