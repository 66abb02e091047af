// Certificates that apps trust: not those of the local authority, self-signed, expired or not yet valid ones.
import { describe, expect, it } from 'vitest';
import { computeLinkTrust } from './link-trust.ts';

const PANEL = { target: 'panel', source: 'acme', subject: 'CN=vpn', issuer: 'CN=Authority', warning: null } as const;

describe('computeLinkTrust', () => {
  it.each([
    [[], null],
    [[PANEL], 'trusted'],
    [[{ ...PANEL, warning: 'ends_soon' as const }], 'trusted'],
    [[{ ...PANEL, source: 'local' as const }], 'untrusted'],
    [[{ ...PANEL, source: 'imported' as const, issuer: PANEL.subject }], 'untrusted'],
    [[{ ...PANEL, source: 'imported' as const }], 'trusted'],
    [[{ ...PANEL, warning: 'ended' as const }], 'ended'],
    [[{ ...PANEL, warning: 'not_yet' as const }], 'ended'],
    [
      [
        { ...PANEL, source: 'local' as const },
        { ...PANEL, target: 'links' as const },
      ],
      'trusted',
    ],
    [[PANEL, { ...PANEL, target: 'links' as const, source: 'local' as const }], 'untrusted'],
  ])('judges %j', (served, trust) => {
    expect(computeLinkTrust(served)).toBe(trust);
  });
});
