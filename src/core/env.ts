// What the parts of the core share: the world's ports, the settings and the queue of writes.

import type { Call, Scope } from './context.ts';
import type { CoreParts } from './core.ts';
import { eventJson } from './events.ts';
import type { SettingValues } from './ports/settings.ts';
import type { AddressState } from './settings/address-state.ts';
import { createWriteQueue, type WriteQueue } from './write-queue.ts';

export interface Env extends CoreParts {
  readonly queue: WriteQueue;
  settings(): SettingValues;
  /** To be called after a write to the settings. */
  forgetSettings(): void;
  baseUrl(): string;
  subUrl(token: string): string;
  /** What is remembered of addresses while the panel runs. */
  readonly addresses: AddressState;
  /** Tells subscribers of what was committed. */
  announce(): void;
}

export function createEnv(parts: CoreParts, announce: () => void): Env {
  let cached: SettingValues | null = null;
  const settings = () => {
    cached ??= parts.store.settings.get();
    return cached;
  };
  return {
    ...parts,
    queue: createWriteQueue(),
    addresses: { trial: null },
    settings,
    forgetSettings: () => {
      cached = null;
    },
    baseUrl: () => `${parts.origin()}/${settings().secretPath}/api/v1`,
    subUrl: (token) => {
      const { publicUrl, subPath } = settings();
      return `${publicUrl ?? parts.origin()}/${subPath}/${token}`;
    },
    announce,
  };
}

/** What a handler works with, for one transaction at one moment. */
export function createScope(env: Env, call: Call, action: string, now: number): Scope {
  const { store } = env;
  return {
    call,
    now,
    store,
    settings: env.settings(),
    crypto: env.crypto,
    vault: env.vault,
    totp: env.totp,
    saveSettings: (values) => {
      store.settings.set(values);
      env.forgetSettings();
    },
    subUrl: env.subUrl,
    emit: (type, data, at = now) => {
      store.events.append(type, at, eventJson(data), now);
    },
    audit: (target, detail = {}, outcome = 'done') => {
      const { actor, address, requestId } = call;
      store.audit.append({
        at: now,
        actorKind: actor.kind,
        actorId: actor.id,
        actorName: actor.name,
        action,
        outcome,
        target,
        detail: JSON.stringify(detail),
        address,
        requestId,
      });
    },
  };
}
