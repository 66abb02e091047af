// The process that asks the keychain: one request, one reply. It may hang as long as the system prompts; nobody else does.
import { askKeychain, type KeychainRequest } from './keychain-entry.ts';

process.once('message', (request: KeychainRequest) => {
  void askKeychain(request).then((reply) => process.send?.(reply));
});

// The panel has its reply, or is gone. A thread that waits for a prompt would hold an ordinary exit back until it is answered.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
