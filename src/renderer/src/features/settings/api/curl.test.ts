// The curl commands: each method has one, a shell reads them as they are meant, and none holds a key unasked.
import { describe, expect, it } from 'vitest';
import { shellQuote } from '../../../../../contract/openapi/samples.ts';
import { API_OPERATIONS } from '../../../../../contract/table.ts';
import { curlOf, exampleCurl, exampleSamples } from './curl.ts';

const endpoint = { baseUrl: 'https://10.0.0.2:8443/secret/api/v1', hasOwnAuthority: true };

describe('quote', () => {
  it('makes one word of anything', () => {
    expect(shellQuote('plain')).toBe("'plain'");
    expect(shellQuote("Ann's $HOME `x`")).toBe("'Ann'\\''s $HOME `x`'");
  });
});

describe('curlOf', () => {
  it('writes a first call with the key that was made', () => {
    expect(curlOf(endpoint, { method: 'GET', path: '/users?limit=5', key: 'pnl_abc' })).toBe(
      [
        'curl \\',
        '  --cacert gatehouse-ca.pem \\',
        "  -H 'Authorization: Bearer pnl_abc' \\",
        "  'https://10.0.0.2:8443/secret/api/v1/users?limit=5'",
      ].join('\n'),
    );
  });

  it('names the authority only where the panel signs its own certificate and there is one', () => {
    const call = { method: 'GET', path: '/users', key: null } as const;
    expect(curlOf({ ...endpoint, hasOwnAuthority: false }, call)).not.toContain('--cacert');
    expect(curlOf({ ...endpoint, baseUrl: 'http://127.0.0.1:1/s/api/v1' }, call)).not.toContain('--cacert');
    expect(curlOf(endpoint, call)).toContain('"Authorization: Bearer $PANEL_KEY"');
  });
});

describe('exampleCurl', () => {
  it('has one for every method, with nothing left to fill in', () => {
    for (const { id, method } of API_OPERATIONS) {
      const line = exampleCurl(endpoint, id) ?? '';
      expect(line, id).toContain(`${endpoint.baseUrl}/`);
      expect(line, id).not.toMatch(/[{]\w+[}]|undefined|\[object/);
      expect(line.startsWith(method === 'GET' ? 'curl \\' : `curl -X ${method} `), id).toBe(true);
      expect(line, id).not.toContain('pnl_');
    }
  });

  it('sends the body of the example', () => {
    const line = exampleCurl(endpoint, 'extendUser') ?? '';
    expect(line).toContain("-H 'Content-Type: application/json'");
    expect(line).toMatch(/-d '\{.*\}'/);
  });

  it('knows no method that the API does not have', () => {
    expect(exampleCurl(endpoint, 'createKey')).toBeNull();
    expect(exampleCurl(endpoint, 'nothing')).toBeNull();
  });
});

describe('exampleSamples', () => {
  it('are in TypeScript and Python, with the address of the panel and no key', () => {
    const samples = exampleSamples(endpoint, 'extendUser');
    expect(samples.map(({ label }) => label)).toEqual(['TypeScript', 'Python']);
    for (const { source } of samples) {
      expect(source).toContain(`${endpoint.baseUrl}/users/7/extend`);
      expect(source).toContain('gatehouse-ca.pem');
      expect(source).not.toContain('pnl_');
    }
    expect(exampleSamples(endpoint, 'createKey')).toEqual([]);
  });

  it('name the authority only where the panel signs its own certificate', () => {
    const samples = exampleSamples({ ...endpoint, hasOwnAuthority: false }, 'extendUser');
    for (const { source } of samples) expect(source).not.toMatch(/gatehouse-ca|\bssl\b|context/);
  });
});
