// The form shows the warnings that the panel would give for its values, and those of a target only while it is the tested one.
import { describe, expect, it } from 'vitest';
import { type Inbound, inboundExample } from '../../../../contract/inbounds.ts';
import { listWarnings } from './connection-warnings.tsx';
import { blankValues, reshaped, toFormValues } from './values.ts';

const NOW = Date.UTC(2026, 10, 20);
const NODE = { address: 'n.example', core: { name: 'xray', version: '26.7.28' } } as const;
const SAVED: Inbound = {
  ...inboundExample,
  sni: 'www.example.org',
  target: null,
  min_client_version: null,
  warnings: ['target_no_h2'],
};

describe('the form of a connection', () => {
  it('shows what was found of the target until another is typed', () => {
    const values = toFormValues(SAVED);
    expect(listWarnings(values, NODE, SAVED, NOW)).toEqual(['target_no_h2']);
    expect(listWarnings({ ...values, sni: 'www.example.net' }, NODE, SAVED, NOW)).toEqual([]);
    const elsewhere = { ...values, target: 'www.apple.com:8443' };
    expect(listWarnings(elsewhere, NODE, SAVED, NOW)).toEqual(['target_risky_name', 'target_port']);
    expect(listWarnings(reshaped(values, { security: 'none' }), NODE, SAVED, NOW)).toEqual(['unencrypted']);
  });

  it('shows what the engine said of it, and that its port is taken until another is typed', () => {
    const values = toFormValues(SAVED);
    const taken: Inbound = { ...SAVED, warnings: ['port_taken'] };
    expect(listWarnings(values, NODE, taken, NOW)).toEqual(['port_taken']);
    expect(listWarnings({ ...values, port: 8444 }, NODE, taken, NOW)).toEqual([]);
    const refused: Inbound = { ...SAVED, warnings: ['refused'] };
    expect(listWarnings({ ...values, port: 8444 }, NODE, refused, NOW)).toEqual(['refused']);
  });

  it('warns of a new one as it is filled in', () => {
    const values = blankValues(1, 443);
    expect(listWarnings(values, NODE, null, NOW)).toEqual([]);
    expect(listWarnings({ ...values, min_client_version: '26.3.27' }, NODE, null, NOW)).toEqual(['min_client_version']);
    const vmess = reshaped(reshaped(values, { protocol: 'vmess' }), { security: 'tls' });
    expect(listWarnings(vmess, NODE, null, NOW)).toEqual(['certificate_not_pinned']);
    expect(listWarnings({ ...vmess, certificate: 'PEM' }, NODE, null, NOW)).toEqual([]);
    const old = { ...NODE, core: { name: 'v2ray', version: '4.34.0' } } as const;
    expect(listWarnings(values, old, null, NOW)).toEqual(['not_served']);
  });

  it('warns of the end of the certificate that is served, not of the one that replaces it', () => {
    const served = { ...SAVED, security: 'tls', certificate: 'PEM', certificate_self_signed: false } as const;
    const ending: Inbound = { ...served, certificate_ends_at: '2026-11-21T00:00:00.000Z', warnings: [] };
    const values = toFormValues(ending);
    expect(listWarnings(values, NODE, ending, NOW)).toEqual(['certificate_ends_soon']);
    expect(listWarnings({ ...values, certificate: '' }, NODE, ending, NOW)).toEqual([]);
  });
});
