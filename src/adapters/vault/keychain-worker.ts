// The process that calls the keychain: one request, one reply. It may wait for a prompt; the panel does not.
import { accessKeychain, type KeychainReply, type KeychainRequest } from './keychain-entry.ts';

/** The channel of a utility process of Electron, which differs from that of a forked Node. */
interface ParentPort {
  once(event: 'message', listener: (message: { readonly data: KeychainRequest }) => void): void;
  postMessage(reply: KeychainReply): void;
}

const { parentPort } = process as { parentPort?: ParentPort };
if (parentPort !== undefined) {
  parentPort.once('message', ({ data }) => void accessKeychain(data).then((reply) => parentPort.postMessage(reply)));
} else {
  process.once('message', (request: KeychainRequest) => {
    void accessKeychain(request).then((reply) => process.send?.(reply));
  });
  // The panel has its reply, or has ended. A thread that waits for a prompt would delay an ordinary exit.
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
}
