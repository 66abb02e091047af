// Load as the figures ask for it: by wrk where it is installed, else by a generator of our own in another process.
import { type Child, startChild } from './child.ts';
import type { Amount, Load, Target } from './target.ts';
import { hasWrk, loadByWrk } from './wrk.ts';

/** As many connections as keep one server busy. */
const MANY = 64;

export interface Generator {
  /** Where the load comes from. */
  readonly name: string;
  /** As much as the server can answer, for whole seconds. */
  flood(target: Target, seconds: number): Promise<Load>;
  /** A measured amount; with one connection the latency is the server's alone. Always by our own generator. */
  load(target: Target, amount: Amount): Promise<Load>;
  stop(): Promise<void>;
}

export function startGenerator(): Generator {
  const child: Child = startChild(new URL('./load-generator.ts', import.meta.url));
  const isWrk = hasWrk();
  const load = (target: Target, amount: Amount) => child.call<Load>('load', { target, amount });
  return {
    name: isWrk ? 'wrk' : 'own generator',
    load,
    flood: (target, seconds) =>
      isWrk ? loadByWrk(target, MANY, seconds) : load(target, { connections: MANY, ms: seconds * 1000 }),
    stop: child.stop,
  };
}
