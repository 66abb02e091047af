// Secrets that a person makes up: passwords that are tried first, and a secret path of words, are refused wherever they are set.
import { expect, test } from 'vitest';
import { PASSWORD } from '../support/cli.ts';
import { openAttacked } from './attacked.ts';

const PRESENT = { password: PASSWORD };

test('a password that is guessed soon is refused, in the pages and in the terminal', async () => {
  await using attacked = await openAttacked();
  const browser = attacked.browserAt('203.0.113.9');
  await browser.call('signIn', { name: 'admin', password: PASSWORD });
  const tryPassword = async (password: string) => {
    const { status, problem } = await browser.call('changePassword', { ...PRESENT, new_password: password });
    return status === 200 ? 'changed' : problem.errors?.[0]?.code;
  };
  for (const common of ['iloveyou', 'Football2024!', 'qwertyuiop', 'TRUSTNO1', 'jennifer']) {
    expect(await tryPassword(common)).toBe('common_password');
  }
  for (const weak of ['admin-12', 'aaaaaaaaaaaa', 'gatehouse']) expect(await tryPassword(weak)).toBe('weak_password');
  const { code, stderr } = await attacked.cli.run(['reset-password'], 'football99');
  expect(code).not.toBe(0);
  expect(stderr).toContain('tried first');
  expect(
    (await browser.call('changePassword', { ...PRESENT, new_password: 'violet otter under bridges' })).status,
  ).toBe(200);
});

test('a secret path of words is refused, one with 128 bits is taken', async () => {
  await using attacked = await openAttacked();
  const browser = attacked.browserAt('203.0.113.9');
  await browser.call('signIn', { name: 'admin', password: PASSWORD });
  for (const path of ['my-secret-panel-path-2024', 'a'.repeat(64), 'gatehouse-gatehouse-gatehouse']) {
    const { problem } = await browser.call('changeAddresses', { ...PRESENT, secret_path: path });
    expect(problem.errors).toEqual([expect.objectContaining({ pointer: '#/secret_path', code: 'weak_path' })]);
  }
  const path = '9fQ2xLr7Zk4Tb1Wc8Ym3Hd6Nv5';
  const { status, body } = await browser.call('changeAddresses', { ...PRESENT, secret_path: path });
  expect(status).toBe(200);
  expect(body.addresses.secret_path).toBe(path);
});
