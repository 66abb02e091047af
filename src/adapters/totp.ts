// One-time codes of authenticator apps, by the otpauth library.
import { Secret, TOTP } from 'otpauth';
import type { Totp } from '../core/ports/ports.ts';

const PERIOD_S = 30;
const DIGITS = 6;
const SECRET_BYTES = 20;

function createTotp(secret: string, label = ''): TOTP {
  return new TOTP({
    issuer: 'Gatehouse',
    label,
    secret: Secret.fromBase32(secret),
    algorithm: 'SHA1',
    digits: DIGITS,
    period: PERIOD_S,
  });
}

export const totp: Totp = {
  newSecret: () => new Secret({ size: SECRET_BYTES }).base32,
  uri: (secret, account) => createTotp(secret, account).toString(),
  findStep(secret, code, now) {
    if (!/^\d{6}$/.test(code)) return null;
    const delta = createTotp(secret).validate({ token: code, timestamp: now, window: 1 });
    return delta === null ? null : Math.floor(now / 1000 / PERIOD_S) + delta;
  },
};
