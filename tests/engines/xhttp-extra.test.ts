// The `extra` of XHTTP: what the panel takes every Xray starts with, and what the panel refuses Xray refuses too.
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { type XhttpExtra, type XhttpMode, xhttpExtra } from '../../src/contract/xhttp.ts';
import { fitsMode } from '../../src/domain/nodes/xhttp.ts';
import { engineConfigText } from '../../src/engines/engine-config.ts';
import { getProgramPath, whyWithout } from './found.ts';
import { START } from './many-connections.ts';
import { sampleInbound } from './samples.ts';

const WHOLE: XhttpExtra = {
  headers: { 'User-Agent': 'curl/8.5', Referer: 'https://a.example/' },
  xPaddingBytes: '100-1000',
  xPaddingObfsMode: true,
  xPaddingKey: 'dc',
  xPaddingHeader: 'X-Cache',
  xPaddingPlacement: 'header',
  xPaddingMethod: 'tokenish',
  uplinkHTTPMethod: 'PATCH',
  sessionIDPlacement: 'cookie',
  sessionIDKey: 'sid',
  sessionIDTable: 'Base62',
  sessionIDLength: '16-32',
  seqPlacement: 'query',
  seqKey: 'n',
  uplinkDataPlacement: 'header',
  uplinkDataKey: 'X-Data',
  uplinkChunkSize: 1000,
  noGRPCHeader: true,
  noSSEHeader: true,
  scMaxEachPostBytes: '500000-1000000',
  scMinPostsIntervalMs: '10-50',
  scMaxBufferedPosts: 30,
  scStreamUpServerSecs: '20-80',
  serverMaxHeaderBytes: 8192,
  xmux: {
    maxConcurrency: '16-32',
    cMaxReuseTimes: 64,
    hMaxRequestTimes: '600-900',
    hMaxReusableSecs: '1800-3000',
    hKeepAlivePeriod: 30,
  },
};

const CASES: readonly (readonly [name: string, extra: object, mode: XhttpMode | null])[] = [
  ['nothing', {}, null],
  ['all of it', WHOLE, 'packet-up'],
  ['data in headers in another mode', WHOLE, 'stream-up'],
  ['GET with packets', { uplinkHTTPMethod: 'GET' }, 'packet-up'],
  ['GET in any mode', { uplinkHTTPMethod: 'GET' }, null],
  ['data in cookies in any mode', { uplinkDataPlacement: 'cookie' }, 'auto'],
  ['one request both ways', { xPaddingBytes: 64 }, 'stream-one'],
  ['no padding at times', { xPaddingBytes: '0-100' }, null],
  ['Host among the headers', { headers: { hOst: 'a.example' } }, null],
  ['both limits of connections', { xmux: { maxConcurrency: 8, maxConnections: '2-4' } }, null],
  ['one limit of connections', { xmux: { maxConcurrency: 0, maxConnections: '2-4' } }, null],
  ['another placement', { seqPlacement: 'body' }, null],
  ['another method of padding', { xPaddingMethod: 'zero' }, null],
  ['a text where there is a number', { scMaxBufferedPosts: 'many' }, null],
  ['a range of words', { scMinPostsIntervalMs: 'a-b' }, null],
];

/** The members that only newer versions read: older ones pass over what is wrong of them. */
const NEWER: typeof CASES = [
  ['few ids', { sessionIDTable: 'hex', sessionIDLength: 7 }, null],
  ['enough ids', { sessionIDTable: 'hex', sessionIDLength: 8 }, null],
  ['ids of no length', { sessionIDTable: 'hex' }, null],
];

function isTakenHere(extra: object, mode: XhttpMode | null): boolean {
  const { data } = xhttpExtra.safeParse(extra);
  return data !== undefined && fitsMode(data, mode);
}

for (const program of ['xray', 'xray-new', 'xray-newest'] as const) {
  const reason = whyWithout(program);
  describe.skipIf(reason !== null)(`${program} ${reason ?? ''}`.trim(), () => {
    const all = program === 'xray' ? CASES : [...CASES, ...NEWER];
    test.each(all)('takes %s where the panel does', (_name, extra, mode) => {
      const inbound = sampleInbound({ protocol: 'vless', network: 'xhttp', xhttpMode: mode, xhttpExtra: extra });
      const input = engineConfigText({ inbounds: [inbound], blocksPrivate: false }, [], START);
      const { status, stdout } = spawnSync(getProgramPath(program), ['run', '-test', '-c', 'stdin:'], {
        input,
        encoding: 'utf8',
      });
      expect({ isTaken: status === 0, stdout }).toMatchObject({ isTaken: isTakenHere(extra, mode) });
    });
  });
}
