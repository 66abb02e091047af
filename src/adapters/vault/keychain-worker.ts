// The process that calls the keychain: one request, one reply. It may wait for a prompt; the panel does not.
import { accessKeychain, type KeychainRequest } from './keychain-entry.ts';

process.once('message', (request: KeychainRequest) => {
  void accessKeychain(request).then((reply) => process.send?.(reply));
});

// The panel has its reply, or has ended. SIGKILL, because a thread that waits for a prompt would delay an ordinary exit.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
