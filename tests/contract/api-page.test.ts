// The page for authors of bots names what there is: it must not fall behind the table of operations.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ERRORS } from '../../src/contract/errors.ts';
import { apiErrorCodes } from '../../src/contract/openapi/problems.ts';
import { API_OPERATIONS } from '../../src/contract/table.ts';

const lines = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8').split('\n');

it('lists every operation with the key it asks for, and no other', () => {
  const rows = lines.filter((line) => /^\| `(GET|POST|PUT|PATCH|DELETE) \//.test(line));
  const expected = API_OPERATIONS.map(
    ({ method, path, access, summary }) =>
      `| \`${method} ${path}\` | ${access === 'full' ? 'Full access' : 'any'} | ${summary} |`,
  );
  expect(rows).toEqual(expected);
});

it('lists every code of the API with its status, and no other', () => {
  const rows = lines.flatMap((line) => /^\| (\d{3}) \| `(\w+)` \|/.exec(line)?.slice(1, 3).join(' ') ?? []);
  expect(rows.toSorted()).toEqual(
    apiErrorCodes()
      .map((code) => `${ERRORS[code].status} ${code}`)
      .toSorted(),
  );
});
