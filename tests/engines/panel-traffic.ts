// What tests of a whole panel share: a node of this machine with one connection and one user, and a client that is configured by the
// user's link.
import type { Json } from '../support/engine-process.ts';
import { freePort } from '../support/free-port.ts';
import { readLink } from '../support/subscription-samples.ts';
import { clientConfig, fetchThrough, startProgram, startTarget } from './real-engine.ts';

export const ENGINES = ['xray', 'v2ray'] as const;
export type EngineUnderTest = (typeof ENGINES)[number];

/** What both engines can serve, a stream and a web transport. */
export const SHAPES = {
  xray: { protocol: 'vless', network: 'tcp', security: 'none' },
  v2ray: { protocol: 'vmess', network: 'ws', security: 'none', path: '/ws' },
} as const;

export const REQUEST = Buffer.alloc(3001, 'q');
export const ANSWER = Buffer.alloc(1_048_577, 'a');
/** What a whole pull moves. */
export const PULLED = { up: REQUEST.length, down: ANSWER.length };
/** A poll is every 10 seconds. */
export const POLLED = { timeout: 90_000, interval: 250 };
/** Engines hold the connections that they refuse. */
const GIVEN_UP_MS = 3000;

/** The outbound that a client makes of a share link. */
function outboundOf(link: string): Json {
  const { scheme, user, host, port, parameters } = readLink(link);
  const network = scheme === 'vmess' ? parameters.net : parameters.type;
  const person = scheme === 'vless' ? { id: user, encryption: 'none' } : { id: user, alterId: 0, security: 'auto' };
  return {
    protocol: scheme,
    settings: { vnext: [{ address: host, port, users: [person] }] },
    streamSettings: { network, ...(network === 'ws' && { wsSettings: { path: parameters.path } }) },
  };
}

export interface Puller extends AsyncDisposable {
  /** Moves a request and its answer; how many bytes came back: none where the engine refuses, or where it takes too long. */
  pull(limitMs?: number): Promise<number>;
}

/** A client that is configured by a link, and a server behind the engine. */
export async function openPuller(program: EngineUnderTest, link: string): Promise<Puller> {
  const socksPort = await freePort();
  const target = await startTarget(REQUEST.length, ANSWER);
  const client = await startProgram(program, clientConfig(socksPort, outboundOf(link)));
  return {
    async pull(limitMs = GIVEN_UP_MS) {
      const givenUp = AbortSignal.timeout(limitMs);
      return (await fetchThrough(socksPort, target.port, REQUEST, ANSWER.length, givenUp)).length;
    },
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await target[Symbol.asyncDispose]();
    },
  };
}
