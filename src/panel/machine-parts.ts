// What every core on this machine needs: time, randomness, cryptography, and the version of this installation.
import { certificateMaker } from '../adapters/certificates/connection-certificates.ts';
import { systemClock, systemTimers } from '../adapters/clock.ts';
import { nodeCrypto } from '../adapters/crypto.ts';
import { panelVersion } from '../adapters/installation.ts';
import { createPasswordHasher } from '../adapters/passwords.ts';
import { totp } from '../adapters/totp.ts';
import type { CoreParts } from '../core/kernel/core.ts';
import { ownCommandName } from './command-name.ts';
import { openReleases } from './update/releases.ts';

export type MachineParts = Pick<
  CoreParts,
  'clock' | 'timers' | 'crypto' | 'passwords' | 'totp' | 'certificateMaker' | 'version' | 'command' | 'releases'
>;

/** `passwordCost`: log2 of scrypt's N, lowered by tests only. */
export function machineParts(passwordCost?: number): MachineParts {
  return {
    clock: systemClock,
    timers: systemTimers,
    crypto: nodeCrypto,
    passwords: createPasswordHasher(passwordCost),
    totp,
    certificateMaker,
    version: panelVersion(),
    command: ownCommandName(),
    releases: openReleases(),
  };
}
