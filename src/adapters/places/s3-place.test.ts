// The storage's replies are not trusted: the work on them is bounded too.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { openS3Place } from './s3-place.ts';

it('a list with entries that never end is read in one pass', async () => {
  const server = createServer((_request, response) => response.end('<Contents>'.repeat(390_000)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const place = openS3Place({
    kind: 's3',
    endpoint: `http://127.0.0.1:${port}`,
    bucket: 'b',
    prefix: '',
    region: 'any',
    accessKeyId: 'id',
    secretAccessKey: 'secret',
    allowPrivate: true,
  });
  expect(await place.list()).toEqual([]);
  place.close();
  server.close();
});
