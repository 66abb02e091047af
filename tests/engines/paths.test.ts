// Every path and service name that a connection may have leads real clients through a real engine.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fc } from '@fast-check/vitest';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { inboundCreate } from '../../src/contract/inbounds.ts';
import type { InboundRow } from '../../src/core/ports/inbounds.ts';
import { PATH_NETWORKS } from '../../src/domain/nodes/inbound-shape.ts';
import { times } from '../support/long.ts';
import { whyWithout } from './found.ts';
import { createConnections, type ManyClient, openConnections, serveConnections } from './many-connections.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-paths-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Everything of ASCII that can be seen, but for letters and digits. */
const SIGNS = Array.from({ length: 94 }, (_, index) => String.fromCharCode(0x21 + index)).filter((sign) =>
  /[^A-Za-z0-9]/.test(sign),
);
const RANDOM = times(20, 200);
/** Each takes a port of the engine and one of the client. */
const AT_ONCE = 50;

function acceptedPaths(): readonly string[] {
  const made = SIGNS.flatMap((sign) => [`/${sign}`, `/a${sign}b${sign}`]);
  const known = ['/', '/a/b', '/a/', '/./a', '/../a', '/a//b', '//', '//a/b', '/a%20b', '/%41', '/a%2Fb', '/50%'];
  const early = ['/?ed=2048', '/a?ed=2048', '/a/?ed=0', '/a?ed=', '/a?ed=2048&x=1', '/a?x=1', '/a?x=1&ed=2048'];
  const random = fc.sample(fc.stringMatching(/^\/[\x21-\x7e]{0,30}(\?ed=[0-9]{1,4})?$/), RANDOM * 3);
  const all = [...new Set([...made, ...known, ...early, ...random])];
  return all.filter((path) => inboundCreate.shape.path.safeParse(path).success);
}

function acceptedServices(): readonly (string | null)[] {
  const made = SIGNS.flatMap((sign) => [sign, `a${sign}b${sign}`]);
  const random = fc.sample(fc.stringMatching(/^[\x21-\x7e]{1,30}$/), RANDOM * 3);
  const all = [null, 'a/b', '/a/b', '/a/b|c', 'a%20b', '..', ...new Set([...made, ...random])];
  return all.filter((name) => inboundCreate.shape.service_name.safeParse(name).success);
}

/** sing-box has no XHTTP. */
const knows = (program: ManyClient, { network }: InboundRow) => program !== 'sing-box' || network !== 'xhttp';
const shown = ({ network, path, serviceName }: InboundRow) => `${network} ${network === 'grpc' ? serviceName : path}`;

const missing = whyWithout('xray', 'xray-new', 'sing-box', 'mihomo');

test.skipIf(missing !== null).each(['xray', 'xray-new'] as const)(
  `all lead Xray, sing-box and mihomo to %s ${missing ?? ''}`.trim(),
  async (server) => {
    const all = [
      ...PATH_NETWORKS.flatMap((network) => acceptedPaths().map((path) => ({ network, path }))),
      ...acceptedServices().map((serviceName) => ({ network: 'grpc' as const, serviceName })),
    ];
    expect(all.length).toBeGreaterThan(100);
    const failed: string[] = [];
    for (let start = 0; start < all.length; start += AT_ONCE) {
      const rows = await createConnections(all.slice(start, start + AT_ONCE));
      await using _engine = await serveConnections(server, rows);
      for (const program of ['xray-new', 'sing-box', 'mihomo'] as const) {
        const known = rows.filter((row) => knows(program, row));
        if (known.length === 0) continue;
        await using client = await openConnections(program, known, folder);
        const working = await client.working();
        failed.push(...known.filter((row) => !working.includes(row)).map((row) => `${program} ${shown(row)}`));
      }
    }
    expect(failed).toEqual([]);
  },
);
