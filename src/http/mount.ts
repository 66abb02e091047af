// Puts the doors behind one front: what a server of the panel answers, however it listens.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Core } from '../core/core.ts';
import type { Clock, Log } from '../core/ports/ports.ts';
import { createApi } from './api.ts';
import { createApp } from './app.ts';
import { createClientAddress } from './client-address.ts';
import { type ConstantReply, createConstantReply } from './constant-reply.ts';
import { createDocuments } from './documents.ts';
import type { DoorParts, MountedPanel, PanelParts } from './door.ts';
import { createFront, type SecretDoors } from './guards.ts';
import { createHostCheck } from './hosts.ts';
import { createMetrics } from './metrics.ts';
import type { RateRule } from './rate-limit.ts';
import { createLinkDoor, type RenderSubscription } from './subscription-link.ts';

/** The functions are asked on each request, so that a change holds from the next one on. */
export interface MountParts {
  readonly core: Core;
  readonly clock: Clock;
  readonly log: Log;
  /** The panel's version. */
  readonly version: string;
  /** Names accepted in Host besides IP literals and `localhost`; lower case. */
  hosts(): ReadonlySet<string>;
  /** Addresses and CIDR ranges whose X-Forwarded-For counts. */
  trustedProxies(): readonly string[];
  /** The budget of a key. */
  rateLimit(): RateRule;
  /** The OpenAPI document for the panel's present address. */
  openapi(): object;
  readonly renderSubscription: RenderSubscription;
  /** Makes the panel door; null: this host has none on a socket. */
  readonly panelDoor: ((parts: PanelParts) => MountedPanel) | null;
  /** Whether a socket came by a listening place that is being tried. */
  isOnTrial?(socket: object): boolean;
  /** Whether the API answers `unavailable` to all who may enter; links go on. */
  isPaused?(): boolean;
  /** A listener for links alone: the secret path is nothing to it. */
  readonly servesLinksOnly?: boolean;
}

export interface Mounted {
  front(request: IncomingMessage, response: ServerResponse): void;
  readonly reply: ConstantReply;
  /** What a panel door on no socket works with (inner-door.ts); null where links alone are served. */
  readonly inside: PanelParts | null;
  /** Ends what would hold the server open; replies close their connections from now on. */
  close(): void;
}

export function mountDoors(parts: MountParts): Mounted {
  const { core, clock, log, version, renderSubscription, servesLinksOnly = false } = parts;
  const reply = createConstantReply(clock);
  const metrics = servesLinksOnly ? null : createMetrics(core, clock, version);
  let isClosing = false;
  const host = { observe: metrics?.observe ?? (() => {}), isClosing: () => isClosing };
  const documents = metrics === null ? {} : createDocuments(core, metrics, () => parts.openapi());
  const addressOf = createClientAddress(() => parts.trustedProxies());
  const isOnTrial = (socket: object) => parts.isOnTrial?.(socket) ?? false;
  const doorParts: DoorParts = { core, clock, log, host, documents, addressOf, isOnTrial };
  const api = servesLinksOnly
    ? null
    : createApi({ ...doorParts, rateRule: () => parts.rateLimit(), isPaused: () => parts.isPaused?.() ?? false });
  const inside = api === null ? null : { ...doorParts, api };
  const panel = inside === null ? undefined : parts.panelDoor?.(inside);
  const secret: SecretDoors | null =
    api === null ? null : { api, panel: panel === undefined ? null : createApp(panel.handler, reply, log) };
  const front = createFront({
    settings: () => core.settings(),
    isHostAllowed: createHostCheck(() => parts.hosts()),
    reply,
    secret,
    link: createLinkDoor({ core, render: renderSubscription, host, reply, log }),
  });
  return {
    front,
    reply,
    inside,
    close: () => {
      isClosing = true;
      panel?.close();
    },
  };
}
