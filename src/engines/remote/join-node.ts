// Joins the machine of a node to the panel: both ends prove that they know the token's secret, and the machine gets its certificate.
import { Agent } from 'node:https';
import { connect } from 'node:tls';
import { PROTOCOL } from '../../domain/nodes/node-protocol.ts';
import { ANSWERED, computePin, exportPublicKey, otherVersion, sendRequest, TLS, unreachable } from './node-request.ts';
import { buildMethodPath, computeProof, isProof, JOIN_BOUNDS, join, joined } from './wire.ts';
import { encode } from './wire-values.ts';

const JOIN_MS = 10_000;

interface Joining {
  readonly host: string;
  readonly port: number;
  readonly secret: string;
  /** Of the panel, PEM. */
  readonly authority: string;
  certify(publicKey: Uint8Array): Promise<string>;
}

/** Joins the node that waits there, if one does and knows the secret. Resolves with the `pin` of its key. Rejects with EngineError. */
export async function joinNode({ host, port, secret, authority, certify }: Joining): Promise<string> {
  // Its certificate says nothing yet: what counts is what both ends can prove on this connection.
  const socket = connect({ ...TLS, host, port, rejectUnauthorized: false });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  agent.createConnection = () => socket;
  try {
    const limit = AbortSignal.timeout(JOIN_MS);
    await new Promise<void>((resolve, reject) => {
      socket.on('error', reject);
      limit.addEventListener('abort', () => reject(new Error(`no answer in ${JOIN_MS / 1000} s`)));
      socket.once('secureConnect', resolve);
    });
    const asking = { limitMs: JOIN_MS, bounds: JOIN_BOUNDS };
    const first = await sendRequest({ host, port }, agent, {
      ...asking,
      path: buildMethodPath('join'),
      body: [encode(join.request, { proof: computeProof('panel', secret, socket) })],
    });
    if (first.version?.major !== PROTOCOL.major) throw otherVersion(first.version);
    if (first.status !== ANSWERED) throw new Error('what answers there does not know the token');
    const { proof } = join.reply.parse(first.body);
    if (!isProof(proof, computeProof('node', secret, socket)))
      throw new Error('what answers there does not know the token');
    const peer = socket.getPeerX509Certificate();
    if (!peer) throw new Error('it shows no certificate');
    const certificate = await certify(exportPublicKey(peer));
    const second = await sendRequest({ host, port }, agent, {
      ...asking,
      path: buildMethodPath('joined'),
      body: [encode(joined.request, { certificate, authority })],
    });
    if (second.status !== ANSWERED) throw new Error('it refused its certificate');
    joined.reply.parse(second.body);
    return computePin(peer);
  } catch (error) {
    throw unreachable(error);
  } finally {
    agent.destroy();
    socket.destroy();
  }
}
