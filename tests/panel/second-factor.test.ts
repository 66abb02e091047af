// The second factor over the real door: enrolled, asked for, each code good once, and no way around it.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TOTP } from 'otpauth';
import { afterAll, expect, it } from 'vitest';
import { createAdministrator } from '../support/administrator.ts';
import { type OwnPanel, openOwnPanel, PASSWORD } from '../support/own-panel.ts';

const STEP_MS = 30_000;

/** Codes of the enrolled app: each call gives one that was not given before, as only later steps are accepted. */
function createAuthenticator(secret: string): { next(): string; at(offset: number): string } {
  const totp = new TOTP({ secret, digits: 6, period: 30 });
  const start = Date.now();
  let given = -2;
  const at = (offset: number) => totp.generate({ timestamp: start + offset * STEP_MS });
  return {
    at,
    next: () => {
      given += 1;
      if (given > 1) throw new Error('the window holds three steps');
      return at(given);
    },
  };
}

const keys = mkdtempSync(join(tmpdir(), 'gatehouse-key-'));
afterAll(() => rmSync(keys, { recursive: true, force: true }));

const openWithKeyFile = (): Promise<OwnPanel> => openOwnPanel({ keyFile: join(keys, `${performance.now()}`) });

/** Turns the second factor on; the enrolment's own code is used up by it. */
async function enrol(
  own: OwnPanel,
): Promise<{ secret: string; codes: readonly string[]; app: ReturnType<typeof createAuthenticator> }> {
  const begun = await own.administrator.call('beginTwoFactor', { password: PASSWORD });
  expect(begun.status).toBe(200);
  const { secret, uri } = begun.body;
  expect(uri).toContain(`secret=${secret}`);
  const app = createAuthenticator(secret);
  const confirmed = await own.administrator.call('confirmTwoFactor', { code: app.next() });
  expect(confirmed.status).toBe(200);
  return { secret, codes: confirmed.body.recovery_codes, app };
}

function signIn(own: OwnPanel, code?: string) {
  const browser = createAdministrator(own.panel.panelUrl, own.ca);
  const input = { name: 'admin', password: PASSWORD, ...(code !== undefined && { code }) };
  return browser.call('signIn', input).finally(() => browser.close());
}

it('is asked for at sign-in once it is on, with the same reply whatever is missing', async () => {
  await using own = await openWithKeyFile();
  const other = await signIn(own);
  expect(other.status).toBe(200);
  await enrol(own);
  expect((await own.administrator.call('listSessions', {})).body.items).toHaveLength(1);
  const refusals = [await signIn(own), await signIn(own, '000000'), await signIn(own, 'nonsense')];
  const details = refusals.map(({ status, problem }) => [status, problem.detail, problem.title]);
  expect(new Set(details.map(String)).size).toBe(1);
  expect(details[0]?.slice(0, 2)).toEqual([401, 'sign_in_failed']);
  expect((await own.administrator.call('panelState', {})).body.two_factor).toBe(true);
});

it('accepts a code once, of 50 uses at the same time too, and none before it', async () => {
  await using own = await openWithKeyFile();
  const { app } = await enrol(own);
  const code = app.next();
  const proof = { password: PASSWORD, code };
  const call = { actor: ADMINISTRATOR, requestId: 'test', address: null } as const;
  const input = { name: 'key', access: 'read', expires_in_days: null, ...proof } as const;
  const outcomes = await Promise.allSettled(
    Array.from({ length: 50 }, () => own.panel.core.call('createKey', input, call)),
  );
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const again = async () => own.panel.core.call('createKey', { ...input, code: app.at(-1) }, call);
  const earlier = await again().then(
    () => 'made',
    (error: Error) => error.message,
  );
  expect(earlier).toBe('wrong_password');
});

const ADMINISTRATOR = { kind: 'administrator', id: 1, name: 'admin', access: 'full' } as const;

it('takes each recovery code once, of many uses at the same time too, and new ones end the former', async () => {
  await using own = await openWithKeyFile();
  const { codes } = await enrol(own);
  expect(new Set(codes).size).toBe(10);
  // 5 bits a character, at least 112 in all.
  for (const code of codes) expect(code.replaceAll('-', '')).toMatch(/^[0-9a-hjkmnp-tv-z]{23,}$/);
  const [first = '', second = '', third = ''] = codes;
  const call = { actor: ADMINISTRATOR, requestId: 'test', address: null } as const;
  const use = (code: string) =>
    own.panel.core.call(
      'createKey',
      { name: 'k', access: 'read', expires_in_days: null, password: PASSWORD, code },
      call,
    );
  const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => use(first)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect((await own.administrator.call('getTwoFactor', {})).body.recovery_codes_left).toBe(9);
  const typed = second.toUpperCase().replaceAll('-', ' ');
  const renewed = await own.administrator.call('renewRecoveryCodes', { password: PASSWORD, code: typed });
  expect(renewed.status).toBe(200);
  expect((await signIn(own, third)).status).toBe(401);
  expect((await signIn(own, renewed.body.recovery_codes[0])).status).toBe(200);
});

it('guards every change of a factor, keys and addresses with password and code', async () => {
  await using own = await openWithKeyFile();
  const { codes } = await enrol(own);
  const { administrator } = own;
  const attempts = [
    await administrator.call('disableTwoFactor', { password: PASSWORD }),
    await administrator.call('renewRecoveryCodes', { password: PASSWORD, code: '123456' }),
    await administrator.call('beginTwoFactor', { password: PASSWORD }),
  ];
  expect(attempts.map(({ problem }) => problem.detail)).toEqual(['wrong_password', 'wrong_password', 'wrong_password']);
  // Each failure doubles the wait, so however slow the machine is, one of the next attempts falls into it.
  const details: string[] = [];
  while (details.length < 12 && details.at(-1) !== 'slow_down') {
    const attempt = await administrator.call('renewRecoveryCodes', { password: PASSWORD, code: 'wrong' });
    details.push(attempt.problem.detail);
  }
  expect(details.at(-1)).toBe('slow_down');
  const right = await administrator.call('createKey', {
    name: 'k',
    access: 'full',
    password: PASSWORD,
    code: codes[0],
  });
  expect(right.problem.detail).toBe('slow_down');
});

it('is turned off with a code, or from the terminal by who lost everything', async () => {
  await using own = await openWithKeyFile();
  const { codes } = await enrol(own);
  const off = await own.administrator.call('disableTwoFactor', { password: PASSWORD, code: codes[0] });
  expect(off.body).toEqual({ enabled: false, enabled_at: null, recovery_codes_left: 0 });
  expect((await signIn(own)).status).toBe(200);
  await enrol(own);
  const ended = await own.panel.core.local.resetPassword('another good password', true);
  expect(ended.sessions).toBeGreaterThan(0);
  const browser = createAdministrator(own.panel.panelUrl, own.ca);
  expect((await browser.call('signIn', { name: 'admin', password: 'another good password' })).status).toBe(200);
  browser.close();
});

it('keeps its secret sealed: nothing of it is in the database, the audit log or a reply', async () => {
  await using own = await openWithKeyFile();
  const { secret, codes } = await enrol(own);
  const audit = JSON.stringify((await own.administrator.call('listAudit', {})).body);
  const files = readdirSync(own.folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = Buffer.concat(files.map((entry) => readFileSync(join(entry.parentPath, entry.name))));
  for (const canary of [secret, ...codes, ...codes.map((code) => code.replaceAll('-', ''))]) {
    expect(audit).not.toContain(canary);
    expect(bytes.includes(canary)).toBe(false);
  }
});
