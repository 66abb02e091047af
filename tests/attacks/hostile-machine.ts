// A hostile machine of a node as a process.
import type { Method } from '../../src/engines/remote/wire.ts';
import type { Keys } from '../support/node-machine.ts';
import { openHostileMachine } from './hostile-replies.ts';

export interface MachineAsked {
  readonly keys: Keys;
  readonly seed: number;
  /** How many of the replies are none that is understood: 0 to 1. */
  readonly bombShare: number;
}

export type MachineTold =
  | { readonly type: 'open'; readonly port: number }
  | { readonly type: 'counts'; readonly counts: readonly (readonly [Method, number])[] };

process.once('message', async ({ keys, seed, bombShare }: MachineAsked) => {
  const machine = await openHostileMachine(keys, seed, bombShare);
  const report = (told: MachineTold) => process.send?.(told);
  process.on('message', () => report({ type: 'counts', counts: [...machine.counts] }));
  report({ type: 'open', port: machine.port });
});
process.once('disconnect', () => process.exit());
