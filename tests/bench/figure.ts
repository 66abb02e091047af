// What a figure is: something measured that has to reach a value, and what it needs for that.
import type { Databases, Sizes } from './databases.ts';
import type { Generator } from './generator.ts';

export interface Scale {
  /** Paired rounds that count. */
  readonly rounds: number;
  /** Length of one side of a round under full load, whole seconds. */
  readonly seconds: number;
  /** How long something is left alone before its memory is read. */
  readonly idleMs: number;
}

export interface Fleet {
  readonly nodes: number;
  readonly size: keyof Sizes;
  /** How many of them are sent all users; the others have them already. */
  readonly filled: number;
}

export interface Bench {
  readonly databases: Databases;
  readonly generator: Generator;
  readonly scale: Scale;
  /** How many nodes are simulated, with which of the databases. */
  readonly fleet: Fleet;
  printLine(text: string): void;
}

/** At least or at most so much. */
export type Reach = { readonly least: number } | { readonly most: number };

export interface Measured {
  /** What it is about, as the table has it. */
  readonly title: string;
  readonly reach: Reach;
  /** Ratios are held; the others are reported with the machine they were taken on. */
  readonly isRatio: boolean;
  readonly unit?: 'ms' | 's' | 'MB';
  readonly value: number;
  /** The least and the most of the rounds. */
  readonly range?: readonly [least: number, most: number];
  /** Where the value comes from. */
  readonly detail: string;
}

export interface Figure {
  /** For `--only`. */
  readonly name: string;
  measure(bench: Bench): Promise<readonly Measured[]>;
}

export function isReached({ reach, value }: Measured): boolean {
  return 'least' in reach ? value >= reach.least : value <= reach.most;
}
