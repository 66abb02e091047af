// What every core on this machine needs: time, randomness, cryptography, and the version of this installation.
import { readFileSync } from 'node:fs';
import { certificateMaker } from '../adapters/certificates/connection-certificates.ts';
import { systemClock, systemTimers } from '../adapters/clock.ts';
import { nodeCrypto } from '../adapters/crypto.ts';
import { createPasswordHasher } from '../adapters/passwords.ts';
import { totp } from '../adapters/totp.ts';
import type { CoreParts } from '../core/core.ts';

export type MachineParts = Pick<
  CoreParts,
  'clock' | 'timers' | 'crypto' | 'passwords' | 'totp' | 'certificateMaker' | 'version'
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
  };
}

/** From package.json, two folders up both from the sources and from the bundle. */
export function panelVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return String(version);
}
