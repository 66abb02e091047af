// What every core on this machine is made of, whoever composes it: the machine's time, chance and cryptography.
import { systemClock, systemTimers } from '../adapters/clock.ts';
import { nodeCrypto } from '../adapters/crypto.ts';
import { createPasswordHasher } from '../adapters/passwords.ts';
import { totp } from '../adapters/totp.ts';
import type { CoreParts } from '../core/core.ts';
import { panelVersion } from './version.ts';

export type MachineParts = Pick<CoreParts, 'clock' | 'timers' | 'crypto' | 'passwords' | 'totp' | 'version'>;

/** `passwordCost`: log2 of scrypt's N, lowered by tests only. */
export function machineParts(passwordCost?: number): MachineParts {
  return {
    clock: systemClock,
    timers: systemTimers,
    crypto: nodeCrypto,
    passwords: createPasswordHasher(passwordCost),
    totp,
    version: panelVersion(),
  };
}
