// What a stolen session can do: operations that take data out, weaken the panel or harm all users also need the password.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acceptsProof, type Example, needsProof, type Operation } from '../../src/contract/operation.ts';
import { OPERATIONS, type OperationId } from '../../src/contract/table.ts';
import { createTestClock } from '../support/clock.ts';
import { createClient } from '../support/http-client.ts';
import { PASSWORD, startPanel, type TestPanel } from '../support/panel.ts';
import { buildSessionHeaders } from '../support/session-jar.ts';

const MINUTE = 60_000;

const clock = createTestClock(Date.parse('2026-11-20T10:00:00Z'));
let panel: TestPanel;
beforeAll(async () => {
  panel = await startPanel({ clock });
});
afterAll(() => panel.stop());

/** Requests with a session that has just begun, and nothing else. */
async function openSession() {
  const session = buildSessionHeaders(await panel.signIn(), panel.core.settings().instanceId);
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

type Row = Operation & { readonly id: OperationId };
const rows = Object.values<Row>(OPERATIONS).filter(({ access }) => access !== 'public');

/** In the place of an example's input, where that would lock these tests out or needs no proof. */
const INPUTS: Readonly<Record<string, object>> = {
  changePassword: { new_password: PASSWORD },
  updateSettings: { audit_kept_days: 30 },
  createNode: { name: 'Open', address: 'de1.example.com', allows_private: true },
  updateNode: { id: 1, allows_private: true },
  updateInbound: { id: 1, host: 'evil.example.com' },
  bulkUsers: { action: 'disable', ids: [1] },
  bulkBatch: { batch: '5f'.repeat(16), bulk: { action: 'delete', ids: [1] }, after: 0 },
  changeBroadcast: { id: 1, act: 'start', filter: { all: true } },
  saveBot: { token: '7654321:AAthe-token-of-the-bot', api_root: 'https://127.0.0.1' },
};

function buildInput({ id, example }: Row): object {
  const { params, query, body } = example as Example;
  const { password: _password, code: _code, ...input } = { ...params, ...query, ...(body as Record<string, unknown>) };
  return INPUTS[id] ?? input;
}

/** What a call without a password is answered with. */
function getExpectedCode(id: string): string {
  // It asks for the present password itself, whatever was proven before.
  return id === 'changePassword' ? 'validation' : 'proof_required';
}

const proven = rows.filter((row) => needsProof(row, buildInput(row)));
const others = rows.filter((row) => !proven.includes(row));

it('asks for the proof where data leave the panel or its protection becomes weaker', () => {
  expect(proven.map(({ id }) => id).toSorted()).toEqual([
    'applyImport',
    'beginTwoFactor',
    'bulkBatch',
    'bulkUsers',
    'changeAddresses',
    'changeBackupPlace',
    'changeBroadcast',
    'changePassword',
    'changeProvider',
    'changeWebhook',
    'confirmClock',
    'confirmKey',
    'createBackup',
    'createBackupPlace',
    'createBroadcast',
    'createKey',
    'createNode',
    'createProvider',
    'createWebhook',
    'deleteBackup',
    'deleteBackupPlace',
    'deleteBot',
    'disableTwoFactor',
    'endOtherSessions',
    'endSession',
    'exportData',
    'importCertificate',
    'inviteBotAdmin',
    'inviteNode',
    'prove',
    'recordPayment',
    'refundOrder',
    'removeBotAdmin',
    'renewCertificate',
    'renewRecoveryCodes',
    'replaceAuthority',
    'resolvePayment',
    'restoreBackup',
    'revokeKey',
    'rotateSecretPath',
    'rotateWebhookSecret',
    'saveAdminNotices',
    'saveBot',
    'scheduleBackups',
    'setUpAcme',
    'turnOffAcme',
    'undoImport',
    'updateEngines',
    'updateInbound',
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
    expect(await session.call(id, buildInput(row))).toBe(getExpectedCode(id));
    // The proof of an API operation is a call of its own.
    const typed = acceptsProof(row);
    expect(await session.call(id, { ...buildInput(row), code: '123456' })).toBe(
      typed ? getExpectedCode(id) : 'validation',
    );
    expect(await session.call(id, { ...buildInput(row), password: 'a guess' })).toBe(
      typed ? 'wrong_password' : 'validation',
    );
    expect(state()).toBe(before);
  });

  it('is carried out with the password, and for five minutes after it', async () => {
    using session = await openSession();
    expect(await session.call('prove', { password: PASSWORD })).toBe('done');
    clock.advance(5 * MINUTE - 1);
    expect(await session.call(id, buildInput(row))).not.toBe('proof_required');
    using later = await openSession();
    expect(await later.call('prove', { password: PASSWORD })).toBe('done');
    clock.advance(5 * MINUTE);
    expect(await later.call(id, buildInput(row))).toBe(getExpectedCode(id));
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
  expect(await session.call(id, buildInput(row))).not.toBe('proof_required');
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
