// What the panel's thread and its writer thread tell each other. All of it is plain data: it is cloned on the way.

import type { Call, HandledId } from '../core/call.ts';
import type { HeavyOutcome } from '../core/ports/heavy-writer.ts';

/** What the writer thread is started with. */
export type WriterData = { readonly database: string };

export type WriterRequest = {
  readonly id: number;
  readonly operation: HandledId;
  readonly input: unknown;
  readonly call: Call;
  /** How base_url begins at this moment. */
  readonly origin: string;
};

export type WriterReply =
  | { readonly id: number; readonly outcome: HeavyOutcome }
  | { readonly id: number; readonly failure: string }
  | {
      readonly level: 'info' | 'warn' | 'error';
      readonly event: string;
      readonly fields: Readonly<Record<string, unknown>>;
    };
