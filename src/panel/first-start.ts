// What a panel is given at its first start and keeps from then on: its secret path, its name for cookies, its time zone, its port.

import type { Crypto, Store } from '../core/ports/ports.ts';
import type { SettingValues } from '../core/ports/settings.ts';
import { isTimeZone } from '../domain/time-zone.ts';

/** 24 bytes are 32 characters of base64url and 192 bits of chance. */
const SECRET_PATH_BYTES = 24;
const INSTANCE_ID_BYTES = 6;

/** Writes what is missing, in one transaction; what is there stays. Returns the settings. */
export function ensureFirstSettings(
  { settings, write }: Store,
  crypto: Crypto,
  zone = machineTimeZone(),
): SettingValues {
  const fresh: Partial<SettingValues> = {
    ...(settings.has('secretPath') ? {} : { secretPath: base64url(crypto.randomBytes(SECRET_PATH_BYTES)) }),
    ...(settings.has('instanceId') ? {} : { instanceId: hex(crypto.randomBytes(INSTANCE_ID_BYTES)) }),
    ...(settings.has('timeZone') ? {} : { timeZone: zone }),
  };
  if (Object.keys(fresh).length > 0) write(() => settings.set(fresh));
  return settings.get();
}

/** The zone of the machine where it is one that calendars know; otherwise UTC. */
function machineTimeZone(): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return timeZone && isTimeZone(timeZone) ? timeZone : 'UTC';
}

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
