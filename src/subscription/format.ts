// The interface of all formats of a subscription.
import type { ClientCore } from '../domain/nodes/compatibility.ts';
import type { Entry, Inbound } from './entry.ts';

export interface FormatWriter {
  /** The Content-Type. */
  readonly type: string;
  /** Whether a document has one connection, which the request may name. */
  readonly isOfOne?: true;
  /** The program on which the apps of this format are built; left out: several. */
  readonly core?: ClientCore;
  /** Its clients only trust certificates of an authority, because they do not support pins. */
  readonly needsAuthority?: true;
  /** Names that the document uses itself and entries must not have. */
  readonly reserved: readonly string[];
  /** Whether clients of this format can use a connection at this address. */
  canCarry(inbound: Inbound, address: string): boolean;
  /** Writes the document. There is at least one entry, and names are unique. */
  write(entries: readonly Entry[], title: string): string;
  /** The file name of the document; by default derived from the title. */
  fileName?(entries: readonly Entry[]): string;
}
