// Hysteria2 whose apps hop between ports: each client pulls a file by its own format, and reaches the engine over the redirected ports alone.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { InboundRow } from '../../src/core/ports/inbounds.ts';
import { freePort } from '../support/free-port.ts';
import { whyWithout } from './found.ts';
import { type ManyClient, openConnections, serveInbounds } from './many-connections.ts';
import { createSamples } from './measure.ts';
import { redirectPorts } from './redirect-ports.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-hopping-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const CLIENTS: readonly ManyClient[] = ['xray', 'xray-new', 'xray-newest', 'sing-box-older', 'sing-box', 'mihomo'];
/** It has another form for the ports, which the ones before it refuse as a whole: it ignores theirs, and uses the port of the connection. */
const NOT_HOPPING: readonly ManyClient[] = ['xray-newest'];

test.for(CLIENTS)(
  'an app on %s gets its bytes, and hops where it can',
  { timeout: 60_000 },
  async (program, { skip }) => {
    const missing = whyWithout('xray', program);
    if (missing !== null) return skip(missing);
    const samples = (await createSamples(1)).filter(
      ({ row, hasOptions }) => row.protocol === 'hysteria2' && !hasOptions,
    );
    const served = samples.map((sample) => sample.served);
    const ports = [await freePort(), await freePort(), await freePort()];
    const engineName = program === 'xray-new' || program === 'xray-newest' ? program : 'xray';
    await using _engine = await serveInbounds(engineName, served);
    for (const { row, secrets } of samples) {
      await using way = await redirectPorts(ports, row.port);
      const canHop = !NOT_HOPPING.includes(program);
      // Nothing is at this port: one that hops does not come there.
      const hopping: InboundRow = { ...row, ...(canHop && { port: 1 }), hopPorts: ports.join(',') };
      await using open = await openConnections(program, [hopping], folder, { secretsOf: () => secrets });
      expect(await open.working(), row.obfsPassword ?? 'plain').toEqual([hopping]);
      expect(way.used.size > 0).toBe(canHop);
    }
  },
);
