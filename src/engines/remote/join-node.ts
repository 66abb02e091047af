// Joins a node's machine to the panel: both ends prove that they know the token's secret, and each stores the other's key.
import { Agent } from 'node:https';
import { connect } from 'node:tls';
import type { JoinPlace, PanelIdentity } from '../../core/ports/engines.ts';
import { PROTOCOL } from '../../domain/nodes/node-protocol.ts';
import { ANSWERED, computePin, otherVersion, sendRequest, TLS, unreachable } from './node-request.ts';
import { buildMethodPath, computeProof, isProof, JOIN_BOUNDS, join } from './wire.ts';
import { encode } from './wire-values.ts';

const JOIN_MS = 10_000;

interface Joining extends JoinPlace {
  readonly identity: PanelIdentity;
  /** The pin of the machine that already joined with this secret; null: none. */
  readonly takenBy: string | null;
}

/** Joins the waiting machine if it knows the secret. Resolves with the pin of its key. Rejects with EngineError. */
export async function joinNode({ host, port, secret, identity, takenBy }: Joining): Promise<string> {
  // The certificate is not checked here: both ends prove themselves on this connection.
  const { key, certificate: cert } = identity;
  const socket = connect({ ...TLS, key, cert, host, port });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  agent.createConnection = () => socket;
  try {
    const limit = AbortSignal.timeout(JOIN_MS);
    await new Promise<void>((resolve, reject) => {
      socket.on('error', reject);
      limit.addEventListener('abort', () => reject(new Error(`no answer in ${JOIN_MS / 1000} s`)));
      socket.once('secureConnect', resolve);
    });
    const { status, body, version } = await sendRequest({ host, port }, agent, {
      limitMs: JOIN_MS,
      bounds: JOIN_BOUNDS,
      path: buildMethodPath('join'),
      body: [encode(join.request, { proof: computeProof('panel', secret, socket), takenBy })],
    });
    if (version?.major !== PROTOCOL.major) throw otherVersion(version);
    const isKnown = status === ANSWERED && isProof(join.reply.parse(body).proof, computeProof('node', secret, socket));
    if (!isKnown) throw new Error('what answers there does not know the token');
    const peer = socket.getPeerX509Certificate();
    if (!peer) throw new Error('it shows no certificate');
    return computePin(peer);
  } catch (error) {
    throw unreachable(error);
  } finally {
    agent.destroy();
    socket.destroy();
  }
}
