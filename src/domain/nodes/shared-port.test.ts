// Who can share the port of a connection, and what apps make of the two.
import { expect, it } from 'vitest';
import { findSharingProblem, mergePortOwner, type PortSharer } from './shared-port.ts';

const OWNER: PortSharer = {
  id: 1,
  nodeId: 1,
  tag: 'owner',
  port: 443,
  protocol: 'vless',
  network: 'tcp',
  security: 'tls',
  path: null,
  encryption: null,
  sharesPortOf: null,
};
const WS: PortSharer = { ...OWNER, id: 2, tag: 'ws', network: 'ws', path: '/ws', sharesPortOf: 1 };
const CANNOT_OFFER = 'owner must be vless or trojan over tcp, and tls or reality, without VLESS encryption';
const GRPC: PortSharer = { ...WS, id: 3, tag: 'grpc', network: 'grpc', path: null };

it.each<[string, Partial<PortSharer>, Partial<PortSharer>, readonly PortSharer[], string | null]>([
  ['the first', {}, {}, [], null],
  ['one over another path', {}, { path: '/other' }, [WS, GRPC], null],
  ['one beside gRPC', {}, {}, [GRPC], null],
  ['another node', { nodeId: 2 }, {}, [], 'must be on the same node'],
  ['one that shares a port itself', { sharesPortOf: 9 }, {}, [], 'owner has no port of its own'],
  ['VMess', { protocol: 'vmess' }, {}, [], CANNOT_OFFER],
  ['VLESS encryption', { encryption: 'e' }, {}, [], CANNOT_OFFER],
  ['another with VLESS encryption', {}, { encryption: 'e' }, [], null],
  ['another security', { security: 'reality' }, {}, [], 'security must be reality, as that of owner'],
  ['another port', { port: 8443 }, {}, [], 'port must be 8443, as that of owner'],
  ['the same path', {}, { path: '/ws?ed=2048' }, [WS], 'ws shares it with the same path'],
  ['no path', {}, { path: null }, [{ ...WS, path: '/' }], 'ws shares it with the same path'],
  [
    'a second over HTTP/2',
    {},
    { network: 'xhttp' },
    [GRPC],
    'grpc shares it already: only one can be over grpc or xhttp',
  ],
  [
    'a second with REALITY',
    { security: 'reality' },
    { security: 'reality', network: 'xhttp' },
    [GRPC],
    'grpc shares it already: with reality only one can',
  ],
])('%s', (_title, owner, sharer, others, problem) => {
  expect(findSharingProblem({ ...WS, ...sharer }, { ...OWNER, ...owner }, others)).toBe(problem);
});

it('has what is its own, and the TLS of the owner', () => {
  const keys = { publicKey: null, mldsa65Verify: null, shortId: null };
  const none = { ...keys, target: null, minClientVersion: null, certificate: null };
  const row = { ...none, host: null, sni: 'cdn.example', fingerprint: null, updatedAt: 5 };
  const owner = {
    host: 'de1.example',
    sni: 'de1.example',
    fingerprint: 'chrome',
    publicKey: 'key',
    mldsa65Verify: 'verify',
    shortId: '6ba8',
    target: 'a.example:443',
    minClientVersion: '1.8.0',
    certificate: {},
    updatedAt: 7,
  };
  const merge = mergePortOwner<typeof row | typeof owner>;
  expect(merge(row, owner)).toEqual({ ...owner, sni: 'cdn.example' });
  expect(merge({ ...row, updatedAt: 9 }, owner).updatedAt).toBe(9);
});
