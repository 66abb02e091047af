// What a stolen session can do: of the panel's operations, those that take data out or weaken it also need the password.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needsProof, type PanelOperation } from '../../src/contract/operation.ts';
import { OPERATIONS, type OperationId } from '../../src/contract/table.ts';
import { createTestClock } from '../support/clock.ts';
import { createClient } from '../support/http-client.ts';
import { PASSWORD, startPanel, type TestPanel } from '../support/panel.ts';
import { sessionHeadersOf } from '../support/session-jar.ts';

const MINUTE = 60_000;

const clock = createTestClock(Date.parse('2026-11-20T10:00:00Z'));
let panel: TestPanel;
beforeAll(async () => {
  panel = await startPanel({ clock });
});
afterAll(() => panel.stop());

/** Requests with a session that has just begun, and nothing else. */
async function openSession() {
  const session = sessionHeadersOf(await panel.signIn(), panel.core.settings().instanceId);
  const client = createClient({ baseUrl: panel.origin });
  const send = async (method: string, path: string, body?: object) => {
    const headers = {
      ...session,
      'sec-fetch-site': 'same-origin',
      ...(body && { 'content-type': 'application/json' }),
    };
    // The path changes with one of the operations.
    const below = `${panel.core.settings().secretPath}/panel/${path}`;
    const answer = await client.send({ method, path: below, headers, ...(body && { body: JSON.stringify(body) }) });
    return answer.status < 400 ? 'done' : answer.problem.detail;
  };
  return {
    call: (id: string, input: object) => send('POST', id, input),
    download: (name: string) => send('GET', `backups/${name}`),
    [Symbol.dispose]: () => client.close(),
  };
}

type Row = PanelOperation & { readonly id: OperationId };
const rows: readonly Row[] = Object.values<{ door: string; id: OperationId }>(OPERATIONS).flatMap((operation) =>
  operation.door === 'panel' && (operation as Row).access === 'session' ? [operation as Row] : [],
);

/** In the place of an example's input, where that would lock these tests out or needs no proof. */
const INPUTS: Readonly<Record<string, object>> = {
  changePassword: { new_password: PASSWORD },
  updateSettings: { audit_kept_days: 30 },
  createNode: { name: 'Open', address: 'de1.example.com', allows_private: true },
  updateNode: { id: 1, allows_private: true },
  saveBot: { token: '7654321:AAthe-token-of-the-bot', api_root: 'https://127.0.0.1' },
};

function inputOf({ id, example }: Row): object {
  const { password: _password, code: _code, ...input } = { ...(example.body as Record<string, unknown>) };
  return INPUTS[id] ?? input;
}

/** What a call without a password is answered with. */
function refusalOf(id: string): string {
  // It asks for the present password itself, whatever was proven before.
  return id === 'changePassword' ? 'validation' : 'proof_required';
}

const proven = rows.filter((row) => needsProof(row, inputOf(row)));
const others = rows.filter((row) => !proven.includes(row));

it('asks for the proof where data leave the panel or its protection becomes weaker', () => {
  expect(proven.map(({ id }) => id).toSorted()).toEqual([
    'beginTwoFactor',
    'changeAddresses',
    'changePassword',
    'changeProvider',
    'changeWebhook',
    'confirmKey',
    'createBackup',
    'createKey',
    'createNode',
    'createProvider',
    'createWebhook',
    'deleteBackup',
    'disableTwoFactor',
    'endOtherSessions',
    'endSession',
    'importCertificate',
    'inviteBotAdmin',
    'inviteNode',
    'prove',
    'recordPayment',
    'refundOrder',
    'renewCertificate',
    'renewRecoveryCodes',
    'resolvePayment',
    'restoreBackup',
    'revokeKey',
    'rotateSecretPath',
    'rotateWebhookSecret',
    'saveBot',
    'scheduleBackups',
    'setUpAcme',
    'turnOffAcme',
    'updateEngines',
    'updateNode',
    'updateSettings',
  ]);
});

describe.each(proven.map((row) => [row.id, row] as const))('%s', (id, row) => {
  it('is refused to a session alone, and changes nothing', async () => {
    using session = await openSession();
    const state = () =>
      JSON.stringify([panel.store.settings.get(), panel.store.keys.all(), panel.store.sessions.all()]);
    const before = state();
    expect(await session.call(id, inputOf(row))).toBe(refusalOf(id));
    expect(await session.call(id, { ...inputOf(row), code: '123456' })).toBe(refusalOf(id));
    expect(await session.call(id, { ...inputOf(row), password: 'a guess' })).toBe('wrong_password');
    expect(state()).toBe(before);
  });

  it('is carried out with the password, and for five minutes after it', async () => {
    using session = await openSession();
    expect(await session.call('prove', { password: PASSWORD })).toBe('done');
    clock.advance(5 * MINUTE - 1);
    expect(await session.call(id, inputOf(row))).not.toBe('proof_required');
    using later = await openSession();
    expect(await later.call('prove', { password: PASSWORD })).toBe('done');
    clock.advance(5 * MINUTE);
    expect(await later.call(id, inputOf(row))).toBe(refusalOf(id));
  });
});

it('does not change the password for a session that was proven and then stolen', async () => {
  using session = await openSession();
  expect(await session.call('prove', { password: PASSWORD })).toBe('done');
  expect(await session.call('changePassword', { new_password: 'of the thief, long' })).toBe('validation');
  expect(await session.call('prove', { password: PASSWORD })).toBe('done');
});

it.each(others.map((row) => [row.id, row] as const))('%s needs the session only', async (id, row) => {
  using session = await openSession();
  expect(await session.call(id, inputOf(row))).not.toBe('proof_required');
});

it('holds for one session, and not over a clock that was set back', async () => {
  using proving = await openSession();
  using stolen = await openSession();
  expect(await proving.call('prove', { password: PASSWORD })).toBe('done');
  expect(await stolen.call('createKey', { name: 'planted', access: 'full' })).toBe('proof_required');
  clock.advance(-MINUTE);
  expect(await proving.call('createKey', { name: 'k', access: 'full' })).toBe('proof_required');
  clock.advance(MINUTE);
});

it('holds for the download of a backup', async () => {
  using session = await openSession();
  expect(await session.download('any.gatehouse-backup')).toBe('proof_required');
  expect(await session.call('prove', { password: PASSWORD })).toBe('done');
  expect(await session.download('any.gatehouse-backup')).not.toBe('proof_required');
});

it('is in no audit row', async () => {
  using session = await openSession();
  const input = { audit_kept_days: 31, password: PASSWORD };
  expect(await session.call('updateSettings', input)).toBe('done');
  const { items } = await panel.act('listAudit', {});
  expect(JSON.stringify(items)).not.toContain(PASSWORD);
});
