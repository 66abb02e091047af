// What every format of a subscription is to the rest: what it can carry, and how it is written.
import type { ClientCore } from '../domain/nodes/compatibility.ts';
import type { Entry, Inbound } from './entry.ts';

export interface FormatWriter {
  /** The Content-Type. */
  readonly type: string;
  /** Whether a document has one connection, which the request may name. */
  readonly isOfOne?: true;
  /** What the applications of this format are built on; left out: not one program. */
  readonly core?: ClientCore;
  /** Its clients trust only certificates that an authority has signed: they know no pin. */
  readonly needsAuthority?: true;
  /** Names that the document has of its own; no entry may have one of these. */
  readonly reserved: readonly string[];
  /** Whether the clients of this format can use a connection at this address. */
  canCarry(inbound: Inbound, address: string): boolean;
  /** The document. There is always an entry, and names are unique. */
  write(entries: readonly Entry[], title: string): string;
  /** Under which name the document is saved; where there is none, by the title. */
  fileName?(entries: readonly Entry[]): string;
}
