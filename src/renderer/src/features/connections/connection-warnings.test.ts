// The form warns as the panel will: of what is typed by now, and of a target only as long as it is the one that was asked.
import { describe, expect, it } from 'vitest';
import { type Inbound, inboundExample } from '../../../../contract/inbounds.ts';
import { warningsOf } from './connection-warnings.tsx';
import { blankValues, reshaped, valuesOf } from './values.ts';

const NOW = Date.UTC(2026, 10, 20);
const NODE = { address: 'n.example', core: { name: 'xray', version: '26.9.11' } } as const;
const SAVED: Inbound = {
  ...inboundExample,
  sni: 'www.example.org',
  target: null,
  min_client_version: null,
  warnings: ['target_no_h2'],
};

describe('the form of a connection', () => {
  it('shows what was found of the target until another is typed', () => {
    const values = valuesOf(SAVED);
    expect(warningsOf(values, NODE, SAVED, NOW)).toEqual(['target_no_h2']);
    expect(warningsOf({ ...values, sni: 'www.example.net' }, NODE, SAVED, NOW)).toEqual([]);
    const elsewhere = { ...values, target: 'www.apple.com:8443' };
    expect(warningsOf(elsewhere, NODE, SAVED, NOW)).toEqual(['target_risky_name', 'target_port']);
    expect(warningsOf(reshaped(values, { security: 'none' }), NODE, SAVED, NOW)).toEqual(['unencrypted']);
  });

  it('warns of a new one as it is filled in', () => {
    const values = blankValues(1, 443);
    expect(warningsOf(values, NODE, null, NOW)).toEqual([]);
    expect(warningsOf({ ...values, min_client_version: '26.3.27' }, NODE, null, NOW)).toEqual(['min_client_version']);
    const vmess = reshaped(reshaped(values, { protocol: 'vmess' }), { security: 'tls' });
    expect(warningsOf(vmess, NODE, null, NOW)).toEqual(['certificate_not_pinned']);
    expect(warningsOf({ ...vmess, certificate: 'PEM' }, NODE, null, NOW)).toEqual([]);
    const old = { ...NODE, core: { name: 'v2ray', version: '4.34.0' } } as const;
    expect(warningsOf(values, old, null, NOW)).toEqual(['not_served']);
  });

  it('warns of the end of the certificate that is served, not of the one that replaces it', () => {
    const served = { ...SAVED, security: 'tls', certificate: 'PEM', certificate_self_signed: false } as const;
    const ending: Inbound = { ...served, certificate_ends_at: '2026-11-21T00:00:00.000Z', warnings: [] };
    const values = valuesOf(ending);
    expect(warningsOf(values, NODE, ending, NOW)).toEqual(['certificate_ends_soon']);
    expect(warningsOf({ ...values, certificate: '' }, NODE, ending, NOW)).toEqual([]);
  });
});
