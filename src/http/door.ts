// What a door is: the way from a raw request to a reply, below a prefix that the front has found.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import type { Core } from '../core/core.ts';
import type { Clock, Log } from '../core/ports/ports.ts';
import type { ClientAddress } from './client-address.ts';
import type { Documents } from './documents.ts';
import type { ExchangeHost } from './exchange.ts';

/** A door gets the rest of the raw URL behind its own prefix: empty, or beginning with `/` or `?`. */
export type Door = (request: IncomingMessage, response: ServerResponse, rest: string) => void;

/** What all doors of one server work with. */
export interface DoorParts {
  readonly core: Core;
  readonly clock: Clock;
  readonly log: Log;
  readonly host: ExchangeHost;
  readonly documents: Documents;
  readonly addressOf: ClientAddress;
  /** Whether a socket came by a listening place that is being tried. */
  isOnTrial(socket: object): boolean;
}

/** What the panel door works with besides: it can ask the API door. */
export interface PanelParts extends DoorParts {
  readonly api: Door;
}

/** The administrator's door as the server takes it. */
export interface MountedPanel {
  /** Gets `request.url` cut to what is below the secret path. */
  readonly handler: RequestHandler;
  /** Ends what would hold the server open. */
  close(): void;
}
