// What is sent to make the suggested node and its connection.
import { expect, it } from 'vitest';
import { localNodeInput, type Suggestion } from './local-node.ts';

const connection = {
  protocol: 'vless',
  network: 'tcp',
  security: 'reality',
  flow: 'xtls-rprx-vision',
  port: 443,
  sni: 'www.example.com',
  sni_findings: [],
} as const;
const suggestion = { platform: 'linux', engine: null, address: 'vpn.example.com', connection } as unknown as Suggestion;
const names = { node: 'This machine', connection: 'Main' };

it('is the suggested connection with the address, the port and the site that were typed', () => {
  const typed = { address: ' vpn.example.com ', port: '8443', sni: ' www.example.org ' };
  const expected = {
    node_name: 'This machine',
    address: 'vpn.example.com',
    protocol: 'vless',
    network: 'tcp',
    security: 'reality',
    flow: 'xtls-rprx-vision',
    tag: 'vless-reality',
    name: 'Main',
    port: 8443,
    sni: 'www.example.org',
    fingerprint: 'chrome',
  };
  expect(localNodeInput(suggestion, typed, names)).toEqual(expected);
  expect(localNodeInput(suggestion, typed, names, 7)).toEqual({ ...expected, node_id: 7 });
});

it('leaves what is empty to the contract', () => {
  const typed = { address: 'a.example', port: '', sni: '  ' };
  expect(localNodeInput(suggestion, typed, names)).toMatchObject({ port: undefined, sni: null });
  expect(localNodeInput(suggestion, { ...typed, port: 8443 }, names).port).toBe(8443);
});
