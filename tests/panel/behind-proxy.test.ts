// A panel behind a reverse proxy: what it says of its certificates and addresses there.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { examine } from '../../src/panel/doctor.ts';
import { openPanel } from '../../src/panel/panel.ts';
import { CHEAP_COST } from '../support/cheap-password.ts';

test('has no certificate of its own, and no fault in its address', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-proxy-'));
  const panel = await openPanel({
    folder: join(folder, 'data'),
    port: 0,
    plainHttp: true,
    publicUrl: 'https://panel.example.org',
    trustedProxies: ['127.0.0.1'],
    passwordCost: CHEAP_COST,
  });
  const call = {
    actor: { kind: 'administrator', id: null, name: 'admin', access: 'full' },
    requestId: '1',
    address: null,
  } as const;
  const certificates = panel.core.call('getCertificates', {}, call).body;
  expect(certificates).toEqual({ mode: 'proxy', served: [], authority: null });
  expect(panel.core.call('getAddresses', {}, call).body).toMatchObject({
    links_url: expect.stringMatching(/^https:\/\/panel\.example\.org\//),
    warnings: [],
  });
  await panel.close();
  rmSync(folder, { recursive: true, force: true });
});

test('is asked by the doctor, which names a proxy that is not trusted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-proxy-'));
  const data = join(folder, 'data');
  const panel = await openPanel({
    folder: data,
    port: 0,
    plainHttp: true,
    keyFile: join(folder, 'key'),
    passwordCost: CHEAP_COST,
  });
  const read = async () => {
    const findings = await examine(data);
    const found = ['port', 'secrets', 'proxy'].map((name) => findings.find(({ check }) => check === name));
    return found.map((each) => each && `${each.verdict} ${each.found}`);
  };
  const port = panel.address()?.port;
  const before = [`ok the panel serves 127.0.0.1:${port}`, 'ok 0 sealed, the key is there', undefined];
  expect(await read()).toEqual(before);
  await fetch(`${panel.baseUrl}/users`, { headers: { 'x-forwarded-for': '198.51.100.7' } });
  expect((await read())[2]).toMatch(/^warning X-Forwarded-For of 127\.0\.0\.1 is ignored/);
  await panel.close();
  rmSync(folder, { recursive: true, force: true });
});
