// The system's keychain as the location of the master key.
import type { KeychainReply } from './keychain-entry.ts';
import { callKeychain, type KeychainCall, type StartKeychainProcess } from './keychain-process.ts';
import { type Found, formatMasterKey, type KeyLocation, parseMasterKey } from './master-key.ts';

const BACKENDS: Partial<Record<NodeJS.Platform, string>> = { darwin: 'keychain', win32: 'credential-manager' };

export function keychainLocation(instanceId: string, start: StartKeychainProcess | null = null): KeyLocation {
  let last: KeychainCall | null = null;
  const run = async (act: { readonly act: 'read' } | { readonly act: 'make'; readonly value: string }) => {
    last = callKeychain({ instanceId, entry: 'master-key', ...act }, start);
    return parseReply(await last.reply);
  };
  return {
    backend: BACKENDS[process.platform] ?? 'secret-service',
    opened: 'unlocked',
    missing: 'deleted',
    other: 'changed',
    restoresKey: true,
    find: () => run({ act: 'read' }),
    make: (key) => run({ act: 'make', value: formatMasterKey(key) }),
    abort() {
      last?.kill?.();
      return typeof last?.kill === 'function';
    },
  };
}

function parseReply(reply: KeychainReply): Found {
  if (reply.outcome === 'empty') return { kind: 'empty' };
  if (reply.outcome !== 'found') {
    return { kind: 'unusable', state: reply.outcome, reason: reply.outcome, detail: reply.reason };
  }
  const key = parseMasterKey(reply.value);
  if (key) return { kind: 'key', key };
  return { kind: 'unusable', state: 'changed', reason: 'changed', detail: 'the entry holds no master key' };
}
