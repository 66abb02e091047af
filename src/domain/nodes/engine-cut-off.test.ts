// Whom an update of an engine cuts off, by the measured engines and clients.
import { expect, it } from 'vitest';
import type { MeasuredShape } from './compatibility.ts';
import { countCutOff, type OtherConnection, type UserGroup } from './engine-cut-off.ts';

const REALITY: MeasuredShape = {
  protocol: 'vless',
  network: 'tcp',
  security: 'reality',
  flow: 'xtls-rprx-vision',
  method: null,
  fingerprint: null,
  obfsPassword: null,
  hopPorts: null,
  fragment: null,
  noise: null,
  mux: null,
  xhttpMode: null,
  xhttpExtra: null,
  encryption: null,
  mldsa65Verify: null,
};
const CONNECTIONS = [
  { ...REALITY, id: 1 },
  { ...REALITY, id: 2, fingerprint: 'edge' },
  { ...REALITY, id: 3, fingerprint: 'firefox' },
  { ...REALITY, id: 4, protocol: 'trojan', security: 'tls', flow: null } as const,
];
const GROUPS: readonly UserGroup[] = [
  { inbounds: [1, 3], core: 'sing-box', users: 200 },
  { inbounds: [3], core: 'mihomo', users: 98 },
  { inbounds: [2], core: 'xray', users: 14 },
  { inbounds: [1, 2], core: 'xray', users: 1000 },
  { inbounds: [1], core: 'mihomo', users: 500 },
  { inbounds: null, core: 'sing-box', users: 40 },
  { inbounds: [1], core: null, users: 5 },
  { inbounds: [9], core: 'sing-box', users: 7 },
];
const xray = (version: string) => ({ name: 'xray', version });

it('counts by program, or by fingerprint where another one would do', () => {
  expect(countCutOff(GROUPS, CONNECTIONS, xray('26.7.28'), xray('26.10.10'))).toEqual({
    total: 1857,
    users: 312,
    unknown: 5,
    reasons: [
      { core: 'sing-box', fingerprint: null, users: 200 },
      { core: 'mihomo', fingerprint: 'firefox', users: 98 },
      { core: 'xray', fingerprint: 'edge', users: 14 },
    ],
  });
});

it('counts no user who keeps a connection of another node, whichever of the two engines that has', () => {
  const [old, next] = [xray('26.7.28'), xray('26.10.10')];
  const count = (others: readonly OtherConnection[]) => countCutOff(GROUPS, CONNECTIONS, old, next, others).users;
  const tls = { ...REALITY, id: 1, protocol: 'trojan', security: 'tls', flow: null } as const;
  expect(count([])).toBe(312);
  expect(count([{ ...tls, engine: old }]), 'the users of connection 1').toBe(112);
  expect(count([{ ...tls, id: 3, engine: next }])).toBe(14);
  expect(count([{ ...tls, id: 8, engine: old }]), 'not theirs').toBe(312);
  expect(count([{ ...REALITY, id: 1, engine: old }]), 'it may get the same engine').toBe(312);
  expect(count([{ ...REALITY, id: 1, engine: next }]), 'it does not serve them').toBe(312);
});

it('counts no user who is cut off already, or whose app is unknown', () => {
  for (const [from, to] of [
    [xray('26.9.8'), xray('26.10.10')],
    [xray('26.10.10'), xray('26.3.27')],
    [
      { name: 'v2ray', version: '4.34.0' },
      { name: 'v2ray', version: '5.1.0' },
    ],
  ] as const)
    expect(countCutOff(GROUPS, CONNECTIONS, from, to)).toMatchObject({ total: 1857, users: 0, reasons: [] });
});
