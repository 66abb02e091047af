// Addresses changed while the panel serves: old ones are unknown from the next request on, and no one is locked out or cut off.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { checkReach } from '../../src/adapters/reach-check.ts';
import { freePort } from '../support/free-port.ts';
import { type Answer, createClient } from '../support/http-client.ts';
import { openOwnPanel, PASSWORD } from '../support/own-panel.ts';

it('rotates the secret path under load: nothing on the new path fails, nothing on the old one answers', async () => {
  await using own = await openOwnPanel();
  const key = await own.newKey('read');
  const client = createClient({ baseUrl: own.panel.baseUrl, key, ca: own.ca });
  const get = (base: string) => client.send({ method: 'GET', path: `${base}/settings` });
  let current = own.panel.baseUrl;
  let rotating: Promise<unknown> = Promise.resolve();
  let isRunning = true;
  const met = { served: 0, refused: 0 };
  const failures: string[] = [];
  const loop = async () => {
    while (isRunning) {
      const used = current;
      const answer = await get(used);
      if (answer.status === 200) met.served += 1;
      else {
        met.refused += 1;
        // It came behind a commit whose reply may still be on its way.
        await rotating;
        if (used === current || !isConstantReply(answer)) failures.push(`${answer.status} ${answer.text}`);
      }
      await turn();
    }
  };
  const loops = Array.from({ length: 4 }, loop);
  for (let round = 0; round < 5; round++) {
    const old = current;
    const rotated = own.administrator.call('rotateSecretPath', { password: PASSWORD }, getPanelUrl(old));
    rotating = rotated.then(({ body }) => {
      current = body.base_url;
    });
    expect((await rotated).status).toBe(200);
    await rotating;
    expect(current).not.toBe(old);
    const [gone, there] = await Promise.all([get(old), get(current)]);
    expect([isConstantReply(gone), there.status]).toEqual([true, 200]);
    const before = met.served;
    await vi.waitFor(() => expect(met.served).toBeGreaterThan(before), { timeout: 300_000 });
  }
  isRunning = false;
  await Promise.all(loops);
  client.close();
  expect(failures).toEqual([]);
  expect(met.served).toBeGreaterThan(20);
});

function isConstantReply({ status, text, rawHeaders }: Answer): boolean {
  const names = rawHeaders.filter((_, index) => index % 2 === 0).join();
  return status === 404 && text === '' && names === 'Content-Length,Connection,Date';
}

it('keeps the new secret path out of the log as it keeps the first', async () => {
  await using own = await openOwnPanel();
  const { body } = await own.administrator.call('rotateSecretPath', { password: PASSWORD });
  own.panel.log.error('test', { text: `at /${body.secret_path}/` });
  const log = readFileSync(join(own.folder, 'logs', 'panel.log'), 'utf8');
  expect(log).toContain('at /[hidden]/');
  expect(log).not.toContain(body.secret_path);
});

function getPanelUrl(baseUrl: string): string {
  return baseUrl.replace(/api\/v1$/, '');
}

it('moves links to another sub path, with the old one dead at once', async () => {
  await using own = await openOwnPanel();
  const key = await own.newKey('full');
  const client = createClient({ baseUrl: own.panel.baseUrl, key, ca: own.ca });
  const tariff = await client.call('createTariff', { name: 'Plan' });
  const user = await client.call('createUser', { name: 'Anna', tariff_id: tariff.body.id });
  const link = String(user.body.sub_url);
  expect((await client.send({ method: 'GET', path: link })).status).toBe(200);
  await own.administrator.call('changeAddresses', { password: PASSWORD, sub_path: 'links' });
  expect((await client.send({ method: 'GET', path: link })).status).toBe(404);
  const moved = (await client.call('getUser', { id: user.body.id })).body.sub_url;
  expect(moved).toBe(link.replace('/sub/', '/links/'));
  expect((await client.send({ method: 'GET', path: String(moved) })).status).toBe(200);
  client.close();
});

it('has a new public address in the reply of the change itself and in everything after it', async () => {
  await using own = await openOwnPanel();
  const { administrator, panel } = own;
  const client = createClient({ baseUrl: panel.baseUrl, key: await own.newKey('full'), ca: own.ca });
  const tariff = await client.call('createTariff', { name: 'Plan' });
  const { host: before, port } = new URL(panel.baseUrl);
  for (const name of ['one.example.org', 'two.example.org', '198.51.100.7']) {
    const url = panel.baseUrl.replace(before, `${name}:${port}`);
    const changed = await administrator.call('changeAddresses', { password: PASSWORD, public_address: name });
    expect(changed.body.addresses.base_url).toBe(url);
    const path = '/openapi.json';
    const document = await client.send<{ servers: [{ url: string }] }>({
      method: 'GET',
      path,
      headers: { host: `${name}:${port}` },
    });
    expect([document.status, document.body.servers[0].url]).toEqual([200, url]);
    const user = await client.call('createUser', { name: 'Anna', tariff_id: tariff.body.id });
    expect(user.body.sub_url).toMatch(`https://${name}:${port}/sub/`);
  }
  const foreign = await client.send({ method: 'GET', path: '/settings', headers: { host: `one.example.org:${port}` } });
  expect(isConstantReply(foreign), 'a former name is accepted no longer').toBe(true);
  const refused = await administrator.call('changeAddresses', {
    password: PASSWORD,
    public_address: 'three',
    sub_path: 'x/y',
  });
  expect(refused.status).toBe(422);
  expect((await administrator.call('getAddresses', {})).body.base_url).toContain('198.51.100.7');
  client.close();
});

it('tries a new port beside the present one and keeps it only when confirmed from there', async () => {
  await using own = await openOwnPanel();
  const { administrator, panel } = own;
  const port = await freePort();
  const changed = await administrator.call('changeAddresses', { password: PASSWORD, port });
  const token = String(changed.body.confirm_token);
  const there = new URL(panel.panelUrl);
  there.port = String(port);
  expect(changed.body.confirm_url).toBe(`${there.href}#/confirm/${token}`);
  const early = await administrator.call('confirmAddresses', { token });
  expect(early.problem.detail).toBe('not_found');
  const wrong = await administrator.call('confirmAddresses', { token: `${token}x` }, there.href);
  expect(wrong.problem.detail).toBe('not_found');
  const confirmed = await administrator.call('confirmAddresses', { token }, there.href);
  expect(confirmed.status).toBe(200);
  expect(confirmed.body).toMatchObject({ port, confirm_by: null, panel_url: there.href });
  await expect(administrator.call('getAddresses', {}, panel.panelUrl)).rejects.toThrow(/ECONNREFUSED|ECONNRESET/);
  expect((await administrator.call('getAddresses', {}, there.href)).body.port).toBe(port);
});

it('goes from this machine only to every address on the same port', async () => {
  // For this run only: the stored port is another one.
  await using own = await openOwnPanel({ port: 0 });
  const { administrator, panel } = own;
  const port = Number(new URL(panel.panelUrl).port);
  expect((await administrator.call('getAddresses', {})).body).toMatchObject({ host: '127.0.0.1', port });
  for (const [host, warnings] of [
    ['0.0.0.0', ['links_own_certificate']],
    ['127.0.0.1', ['only_this_machine', 'links_own_certificate']],
  ] as const) {
    const changed = await administrator.call('changeAddresses', { password: PASSWORD, host });
    expect(changed.status).toBe(200);
    expect(new URL(String(changed.body.confirm_url)).port).toBe(String(port));
    // The reply has ended the connection, which would be no proof: the next request comes by a new one.
    const confirmed = await administrator.call('confirmAddresses', { token: String(changed.body.confirm_token) });
    expect([confirmed.status, confirmed.body]).toMatchObject([200, { host, port, warnings }]);
    expect(panel.address()).toMatchObject({ address: host, port });
  }
});

it('reaches its own address, and says where nothing listens or the certificate is for another', async () => {
  await using own = await openOwnPanel();
  const { body } = await own.administrator.call('checkReach', {});
  expect(body).toEqual({ tried: [{ base_url: own.panel.baseUrl, outcome: 'reached' }] });
  const { port } = new URL(own.panel.baseUrl);
  expect(await checkReach(`https://127.0.0.1:${port}`, null)).toBe('certificate');
  expect(await checkReach(`https://127.0.0.1:${await freePort()}`, own.ca)).toBe('unreachable');
  expect(await checkReach(`http://127.0.0.1:${port}`, null)).toBe('reached');
});

it('refuses a port that is taken, with everything as it was', async () => {
  await using own = await openOwnPanel();
  await using other = await openOwnPanel();
  const port = other.panel.address()?.port ?? 0;
  const refused = await own.administrator.call('changeAddresses', { password: PASSWORD, port });
  expect(refused.problem).toMatchObject({ status: 409, detail: 'address_in_use' });
  expect((await own.administrator.call('getAddresses', {})).body.confirm_by).toBeNull();
  const links = await own.administrator.call('changeAddresses', {
    password: PASSWORD,
    links_port: port,
    links_host: '127.0.0.1',
  });
  expect(links.problem.detail).toBe('address_in_use');
  expect((await own.administrator.call('getAddresses', {})).body.links_port).toBeNull();
});

it('serves links, and nothing else, by a listener of their own', async () => {
  await using own = await openOwnPanel();
  const client = createClient({ baseUrl: own.panel.baseUrl, key: await own.newKey('full'), ca: own.ca });
  const tariff = await client.call('createTariff', { name: 'Plan' });
  const user = await client.call('createUser', { name: 'Anna', tariff_id: tariff.body.id });
  const port = await freePort();
  const public_url = `https://127.0.0.1:${port}`;
  const asked = { password: PASSWORD, links_port: port, links_host: '127.0.0.1', public_url } as const;
  const changed = await own.administrator.call('changeAddresses', asked);
  expect(changed.body.addresses.warnings).toContain('public_url_own_certificate');
  const link = String((await client.call('getUser', { id: user.body.id })).body.sub_url);
  expect(link.startsWith(`${public_url}/sub/`)).toBe(true);
  const outside = createClient({ baseUrl: public_url, key: await own.newKey('full'), ca: own.ca });
  expect((await outside.send({ method: 'GET', path: link })).status).toBe(200);
  const { pathname } = new URL(own.panel.baseUrl);
  for (const path of [`${pathname}/users`, pathname.replace('api/v1', ''), '/']) {
    const answer = await outside.send({ method: 'GET', path: `${public_url}${path}` });
    expect([answer.status, answer.text]).toEqual([404, '']);
  }
  outside.close();
  client.close();
});

it('asks for the password, and tells no address in the audit log', async () => {
  await using own = await openOwnPanel();
  const refused = await own.administrator.call('changeAddresses', { password: 'wrong', sub_path: 'other' });
  expect(refused.problem.detail).toBe('wrong_password');
  await own.administrator.call('changeAddresses', { password: PASSWORD, sub_path: 'canary-path' });
  const audit = await own.administrator.call('listAudit', { target: 'addresses' });
  expect(audit.body.items[0]?.detail).toEqual({ changed: ['subPath'] });
  expect(JSON.stringify(audit.body)).not.toContain('canary-path');
});
