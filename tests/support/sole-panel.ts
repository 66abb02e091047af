// For tests of one panel and the machines of its nodes, which no other panel reaches.
import type { ObeyedPanel } from '../../src/agent/obeyed-panel.ts';
import type { NodeRole } from '../../src/engines/remote/node-client.ts';

/** The machine's end: any request is one of the panel. */
export const SOLE_PANEL: ObeyedPanel = { admit: () => true, claim: () => null };

/** The panel's end. */
export const SOLE_ROLE: NodeRole = {
  claim: () => ({ epoch: 1, startedAt: 0, run: '0'.repeat(32) }),
  recordObeyed() {},
  recordRefused() {},
};
