// What the HTTP transport is made of.
import type { ReachListener } from '../../../bridge/panel-transport.ts';

export interface HttpParts {
  /** Where the panel door is, with a slash at its end. */
  readonly base: string;
  readonly fetch: typeof globalThis.fetch;
  readonly reach: ReachListener;
  /** 0 to 1, so that many pages do not come back in the same moment. */
  random(): number;
}
