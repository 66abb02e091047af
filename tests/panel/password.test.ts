// The password over the real door: changed by who knows it, with the sessions and, if asked for, the keys ending.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openPanel } from '../../src/panel/panel.ts';
import { createAdministrator } from '../support/administrator.ts';
import { CHEAP_COST } from '../support/cheap-password.ts';
import { createClient } from '../support/http-client.ts';
import { openOwnPanel, PASSWORD } from '../support/own-panel.ts';

const NEW_PASSWORD = 'staple battery horse';

it('ends all other sessions, keeps this one under a new token, and leaves keys alone unless asked', async () => {
  await using own = await openOwnPanel();
  const key = await own.newKey('read');
  const client = createClient({ baseUrl: own.panel.baseUrl, key, ca: own.ca });
  const other = createAdministrator(own.panel.panelUrl, own.ca);
  await other.call('signIn', { name: 'admin', password: PASSWORD });
  const before = own.administrator.jar.token();
  const changed = await own.administrator.call('changePassword', { password: PASSWORD, new_password: NEW_PASSWORD });
  expect(changed.body).toEqual({ sessions_ended: 1, keys_revoked: 0 });
  expect(own.administrator.jar.token()).not.toBe(before);
  expect((await own.administrator.call('listSessions', {})).body.items).toHaveLength(1);
  expect((await other.call('listSessions', {})).problem.detail).toBe('signed_out');
  expect((await client.call('getSettings', {})).status).toBe(200);
  const again = await own.administrator.call('changePassword', {
    password: NEW_PASSWORD,
    new_password: PASSWORD,
    revoke_keys: true,
  });
  expect(again.body.keys_revoked).toBe(1);
  expect((await client.call('getSettings', {})).status).toBe(401);
  other.close();
  client.close();
});

it('changes nothing for a wrong one', async () => {
  await using own = await openOwnPanel();
  const refused = await own.administrator.call('changePassword', { password: 'wrong', new_password: NEW_PASSWORD });
  expect(refused.problem.detail).toBe('wrong_password');
  const browser = createAdministrator(own.panel.panelUrl, own.ca);
  expect((await browser.call('signIn', { name: 'admin', password: NEW_PASSWORD })).status).toBe(401);
  expect((await browser.call('signIn', { name: 'admin', password: PASSWORD })).status).toBe(200);
  browser.close();
});

it('takes the setup link once, of 50 uses at the same time', async () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'gatehouse-setup-')), 'data');
  const panel = await openPanel({ folder, port: 0, passwordCost: CHEAP_COST });
  const ca = readFileSync(join(folder, 'tls', 'ca.pem'), 'utf8');
  const token = panel.setupUrl?.split('/').at(-1) ?? '';
  const browser = createAdministrator(panel.panelUrl, ca);
  const wrong = await browser.call('setUp', { token: `${token}x`, name: 'admin', password: PASSWORD });
  expect(wrong.problem.detail).toBe('not_found');
  const uses = await Promise.all(
    Array.from({ length: 50 }, (_, index) => browser.call('setUp', { token, name: `a${index}`, password: PASSWORD })),
  );
  const outcomes = uses.map(({ status, problem }) => (status === 201 ? 'made' : problem.detail));
  expect(outcomes.filter((outcome) => outcome === 'made')).toHaveLength(1);
  expect(new Set(outcomes)).toEqual(new Set(['made', 'already_set_up']));
  browser.close();
  await panel.close();
  rmSync(join(folder, '..'), { recursive: true, force: true });
});
