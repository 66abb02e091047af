// A remote node as the store has it, for tests that need traffic of one.
import type { NodeRow } from '../../src/core/ports/plans.ts';

export function nodeRow(name: string): Omit<NodeRow, 'id'> {
  return {
    name,
    kind: 'remote',
    address: '192.0.2.1',
    enabled: true,
    allowsPrivate: false,
    draining: false,
    weight: 100,
    note: '',
    status: 'unknown',
    coreName: null,
    coreVersion: null,
    engineStartedAt: null,
    usersOnline: 0,
    lastSeenAt: null,
    errorCode: null,
    errorText: null,
    restart: null,
    agentPort: null,
    agentPin: null,
    agentProtocol: null,
    load: null,
    clockOffset: null,
    agentVersion: null,
    linksEndsAt: null,
    linksLate: null,
    linksFailure: null,
    waitingEntries: null,
    waitingBytes: null,
    waitingSince: null,
    restoredAt: null,
    createdAt: 1,
    updatedAt: 1,
  };
}
