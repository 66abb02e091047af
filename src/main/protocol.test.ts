// The addresses of the pages and of backups: whatever a page requests, the reply is no failure of the application.
import { fc, it } from '@fast-check/vitest';
import { expect, vi } from 'vitest';
import { answer } from './protocol.ts';
import { ORIGIN } from './security.ts';

const log = { error: vi.fn(), warn: vi.fn() };
const transfer = vi.fn(async () => ({ status: 404, headers: [], body: '' }));
const parts = { pages: () => null, session: () => ({ transfer }) as never, log };
const request = (path: string) => answer(parts, new Request(`${ORIGIN}${path}`));

const pieces = fc.constantFrom(
  '%',
  '%2',
  '%zz',
  '%ff',
  '%00',
  '%2f',
  '..',
  '/',
  '\\',
  '?',
  '#',
  'panel',
  'backups',
  'x',
  'я',
);
const paths = fc.array(pieces, { maxLength: 12 }).map((parts) => `/${parts.join('')}`);

it.prop([
  fc.oneof(
    paths,
    paths.map((path) => `/panel/backups${path}`),
  ),
])('no address fails', async (path) => {
  const { status } = await request(path);
  expect(status).toBe(404);
  expect(log.error).not.toHaveBeenCalled();
});

it.each(['%', '%2', '%ff', 'a%'])('a backup with the name %s is not there', async (name) => {
  transfer.mockClear();
  expect((await request(`/panel/backups/${name}`)).status).toBe(404);
  expect(transfer).not.toHaveBeenCalled();
});
