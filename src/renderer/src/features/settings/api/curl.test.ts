// Examples of requests: every method has them, a shell parses them as intended, and only those with a given key contain one.
import { describe, expect, it } from 'vitest';
import { API_OPERATIONS } from '../../../../../contract/table.ts';
import { buildCurlExample, exampleSamples } from './curl.ts';

const endpoint = { baseUrl: 'https://10.0.0.2:8443/secret/api/v1', hasOwnAuthority: true };

describe('buildCurlExample', () => {
  it('writes a first call with the key that was made', () => {
    expect(buildCurlExample(endpoint, '/users?limit=5', 'pnl_abc')).toBe(
      [
        'curl --fail-with-body --cacert gatehouse-ca.pem \\',
        "  -H 'Authorization: Bearer pnl_abc' \\",
        "  'https://10.0.0.2:8443/secret/api/v1/users?limit=5'",
      ].join('\n'),
    );
  });

  it('makes one word of anything', () => {
    expect(buildCurlExample(endpoint, "/users?q=Ann's $HOME `x`", null)).toContain("/users?q=Ann'\\''s $HOME `x`'");
  });

  it('names the authority only where the panel signs its own certificate and there is one', () => {
    expect(buildCurlExample({ ...endpoint, hasOwnAuthority: false }, '/users', null)).not.toContain('--cacert');
    expect(buildCurlExample({ ...endpoint, baseUrl: 'http://127.0.0.1:1/s/api/v1' }, '/users', null)).not.toContain(
      '--cacert',
    );
    expect(buildCurlExample(endpoint, '/users', null)).toContain('"Authorization: Bearer $PANEL_KEY"');
  });
});

describe('exampleSamples', () => {
  it('are there for every method, with nothing left to fill in and no key', () => {
    for (const { id } of API_OPERATIONS) {
      const samples = exampleSamples(endpoint, id);
      expect(samples.map(({ label }) => label)).toEqual(['curl', 'TypeScript', 'Python']);
      for (const { source } of samples) {
        expect(source, id).toContain(`${endpoint.baseUrl}/`);
        expect(source, id).toContain('gatehouse-ca.pem');
        expect(source, id).not.toMatch(/\/[{]\w+[}]|undefined|\[object|pnl_/);
      }
    }
    expect(exampleSamples(endpoint, 'createKey')).toEqual([]);
    expect(exampleSamples(endpoint, 'nothing')).toEqual([]);
  });

  it('name the authority only where the panel signs its own certificate', () => {
    const samples = exampleSamples({ ...endpoint, hasOwnAuthority: false }, 'extendUser');
    for (const { source } of samples) expect(source).not.toMatch(/gatehouse-ca|\bssl\b|context/);
  });
});
