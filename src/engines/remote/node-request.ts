// One request to a node's machine, and its answer: status, protocol version and connection.
import { createHash, type X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Agent, request as openRequest } from 'node:https';
import { Readable } from 'node:stream';
import { EngineError } from '../../core/ports/engines.ts';
import type { ParseLargeJson } from '../../core/ports/json.ts';
import type { JsonBounds } from '../../domain/foreign-json.ts';
import { PROTOCOL, type ProtocolVersion, readVersion, writeVersion } from '../../domain/nodes/node-protocol.ts';
import { CLAIM_HEADER } from './signed-claim.ts';
import { readJson, VERSION_HEADER } from './wire.ts';

/** A node's address, and the SHA-256 of its public key (SPKI), hex. */
export interface NodePlace {
  readonly host: string;
  readonly port: number;
  readonly pin: string;
}

export const ANSWERED = 200;

/** Both ends know each other by their certificates' keys, so OpenSSL verifies nothing. */
export const TLS = { minVersion: 'TLSv1.3', servername: '', rejectUnauthorized: false } as const;

export function computePin(certificate: X509Certificate): string {
  return createHash('sha256')
    .update(certificate.publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');
}

export function unreachable(error: unknown): EngineError {
  return error instanceof EngineError
    ? error
    : new EngineError('engine_unreachable', error instanceof Error ? error.message : String(error));
}

interface IncomingReply {
  readonly status: number | undefined;
  readonly body: unknown;
  /** The machine's version; null: it could not be parsed. */
  readonly version: ProtocolVersion | null;
  /** The signed claim of the panel that the machine obeys, if it refuses this one. */
  readonly claim: string | undefined;
}

export function otherVersion(version: ProtocolVersion | null): EngineError {
  if (version === null) return new EngineError('engine_unreachable', 'the node answered something else');
  const older = version.major < PROTOCOL.major ? 'Gatehouse on the machine' : 'the panel';
  const versions = `${writeVersion(version)} of the protocol, the panel ${writeVersion(PROTOCOL)}: update ${older}`;
  return new EngineError('other_version', `the machine speaks version ${versions}`);
}

function parseVersionHeader({ headers }: IncomingMessage): ProtocolVersion | null {
  return readVersion(headers[VERSION_HEADER]?.toString());
}

interface OutgoingRequest {
  /** The signed claim of this panel; left out: the machine has not been joined yet. */
  readonly claim?: string;
  readonly path: string;
  /** JSON, in pieces. */
  readonly body: readonly string[];
  readonly limitMs: number;
  readonly bounds: JsonBounds;
  readonly parseLarge?: ParseLargeJson;
}

/**
 * At most this many characters are given to a connection at a time. Whole bodies for very many nodes at once would all be in memory,
 * encrypted, and memory that was once allocated for them is not returned.
 */
const SLICE = 65_536;

function* sliceBody(body: readonly string[]): Generator<Buffer> {
  for (const piece of body) {
    for (let at = 0; at < piece.length; ) {
      const end = at + SLICE;
      const isInPair = /[\uD800-\uDBFF]/.test(piece.charAt(end - 1));
      const slice = piece.slice(at, isInPair ? end + 1 : end);
      yield Buffer.from(slice);
      at += slice.length;
    }
  }
}

/** Sends one request. Rejects if there is no complete answer in time. */
export function sendRequest(
  { host, port }: Pick<NodePlace, 'host' | 'port'>,
  agent: Agent,
  outgoing: OutgoingRequest,
): Promise<IncomingReply> {
  const length = outgoing.body.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': length,
      ...(outgoing.claim !== undefined && { [CLAIM_HEADER]: outgoing.claim }),
    };
    const request = openRequest({ host, port, agent, method: 'POST', path: outgoing.path, headers });
    const timer = setTimeout(() => {
      const late = new Error(`no answer in ${outgoing.limitMs / 1000} s`);
      reject(late);
      request.destroy(late);
    }, outgoing.limitMs);
    const end = (act: () => void) => {
      clearTimeout(timer);
      act();
    };
    request.on('error', (error) => end(() => reject(error)));
    request.on('response', (response: IncomingMessage) => {
      readJson(response, outgoing.bounds, outgoing.parseLarge).then(
        (body) => {
          const { statusCode: status, headers: answered } = response;
          const claim = answered[CLAIM_HEADER]?.toString();
          end(() => resolve({ status, body, version: parseVersionHeader(response), claim }));
        },
        (error: unknown) => end(() => reject(error)),
      );
    });
    if (length <= SLICE) request.end(outgoing.body.join(''));
    else Readable.from(sliceBody(outgoing.body), { objectMode: false, highWaterMark: SLICE }).pipe(request);
  });
}
