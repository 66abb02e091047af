// What is sent to make the suggested node and its connection.
import { expect, it } from 'vitest';
import { localConnectionInput, localNodeInput, type Suggestion } from './local-node.ts';

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

it('is a local node at the address that was typed', () => {
  expect(localNodeInput({ address: ' vpn.example.com ' }, 'This machine')).toEqual({
    kind: 'local',
    name: 'This machine',
    address: 'vpn.example.com',
  });
});

it('is the suggested connection with the port and the site that were typed', () => {
  const names = { nodeId: 7, name: 'Main' };
  expect(localConnectionInput(suggestion, { port: '8443', sni: ' www.example.org ' }, names)).toEqual({
    protocol: 'vless',
    network: 'tcp',
    security: 'reality',
    flow: 'xtls-rprx-vision',
    node_id: 7,
    tag: 'vless-reality',
    name: 'Main',
    port: 8443,
    sni: 'www.example.org',
    fingerprint: 'chrome',
  });
  expect(localConnectionInput(suggestion, { port: '', sni: '  ' }, names)).toMatchObject({
    port: undefined,
    sni: null,
  });
  expect(localConnectionInput(suggestion, { port: 8443, sni: 'a' }, names).port).toBe(8443);
});
