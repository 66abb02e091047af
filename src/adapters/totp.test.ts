// Known codes of RFC 6238, the window of one step, and texts that are no code.
import { describe, expect, it } from 'vitest';
import { totp } from './totp.ts';

// The secret of RFC 6238 appendix B, "12345678901234567890", in base32; its 8-digit codes end in these six.
const RFC_SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

describe('one-time codes', () => {
  it.each([
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
    [20000000000, '353130'],
  ])('at %d s is %s', (seconds, code) => {
    expect(totp.findStep(RFC_SECRET, code, seconds * 1000)).toBe(Math.floor(seconds / 30));
  });

  it('allows one step either side and no more, and names the step', () => {
    const at = 1234567890_000;
    const step = Math.floor(at / 30_000);
    expect(totp.findStep(RFC_SECRET, '005924', at + 30_000)).toBe(step);
    expect(totp.findStep(RFC_SECRET, '005924', at - 30_000)).toBe(step);
    expect(totp.findStep(RFC_SECRET, '005924', at + 90_000)).toBeNull();
    expect(totp.findStep(RFC_SECRET, '005924', at - 90_000)).toBeNull();
  });

  it.each(['', '5924', '0059245', ' 05924', 'x005924', '005924x', '００５９２４', 'abcdef'])('refuses %j', (code) => {
    expect(totp.findStep(RFC_SECRET, code, 1234567890_000)).toBeNull();
  });

  it('makes secrets of 160 bits that differ, and URIs that apps read', () => {
    const secret = totp.newSecret();
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(totp.newSecret()).not.toBe(secret);
    const uri = new URL(totp.uri(secret, 'Anna & co'));
    expect(uri.protocol).toBe('otpauth:');
    expect(decodeURIComponent(uri.pathname)).toContain('Gatehouse:Anna & co');
    expect(Object.fromEntries(uri.searchParams)).toEqual({
      issuer: 'Gatehouse',
      secret,
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    });
  });
});
