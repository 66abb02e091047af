// How the bench is asked to run.
import { parseArgs } from 'node:util';
import type { Sizes } from './databases.ts';
import type { Fleet, Scale } from './figure.ts';

export interface Options {
  /** Names of figures; empty: all. */
  readonly only: readonly string[];
  readonly isQuick: boolean;
  /** Where databases are kept for the next run. */
  readonly kept: string | undefined;
  /** Whether the table is to be written into the documentation. */
  readonly isWritten: boolean;
  readonly sizes: Sizes;
  readonly scale: Scale;
  readonly fleet: Fleet;
}

export const USAGE = `npm run bench -- [--only <figure>]... [--quick] [--databases <folder>] [--write] [--fleet <nodes>:<size>[:<filled>]]

  --only <figure>       measures this figure alone; may be given several times
  --quick               small databases and few, short rounds: to see that all works, not to judge by
  --databases <folder>  keeps the databases there and takes those of an earlier run
  --fleet <nodes>:<size>[:<filled>]  how many nodes the figure fleet simulates, with the small, middle or large database, and how many of them
                        are sent all users, the others having them already; 50:middle, which is all of them
  --write               writes the table into docs/benchmarks.md

Load comes from wrk where it is installed (Debian: apt-get install wrk), else from a generator of our own.`;

const FULL: Sizes = { small: 1000, middle: 100_000, large: 1_000_000 };
const QUICK: Sizes = { small: 1000, middle: 30_000, large: 60_000 };

/** Throws what parseArgs throws for what it does not know. */
export function readOptions(args: readonly string[]): Options | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true, default: [] },
      quick: { type: 'boolean', default: false },
      databases: { type: 'string' },
      fleet: { type: 'string', default: '50:middle' },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  const { only, quick, databases, write } = values;
  const [, nodes, size, filled = nodes] = /^(\d+):(small|middle|large)(?::(\d+))?$/.exec(values.fleet) ?? [];
  if (nodes === undefined || size === undefined) throw new Error('--fleet is as in 50:middle or 50:middle:5');
  return {
    only,
    isQuick: quick,
    kept: databases,
    isWritten: write,
    fleet: { nodes: Number(nodes), size: size as keyof Sizes, filled: Math.min(Number(filled), Number(nodes)) },
    sizes: quick ? QUICK : FULL,
    scale: quick ? { rounds: 3, seconds: 1, idleMs: 5000 } : { rounds: 7, seconds: 2, idleMs: 60_000 },
  };
}
