// A machine obeys one panel, remembers it over restarts, and proves to a refused panel which one it obeys.
import { generateKeyPairSync } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { signClaim } from '../engines/remote/signed-claim.ts';
import { createObeyedPanel } from './obeyed-panel.ts';

const makeKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const { privateKey, publicKey } = makeKeys();
const sign = (epoch: number, startedAt: number, key = privateKey) =>
  signClaim(
    { epoch, startedAt, run: String(startedAt).padStart(32, '0') },
    key.export({ format: 'pem', type: 'pkcs8' }).toString(),
  );

let stored: string | null = null;
let now = 0;
const open = () =>
  createObeyedPanel(
    {
      panel: () => stored,
      savePanel: (claim) => {
        stored = claim;
      },
    },
    () => now,
  );
beforeEach(() => {
  stored = null;
  now = 0;
});

it('a higher epoch is obeyed from then on, also after a restart of the machine', () => {
  const machine = open();
  const [first, second] = [sign(1, 1), sign(2, 2)];
  expect(machine.admit(first, publicKey)).toBe(true);
  expect(machine.admit(second, publicKey)).toBe(true);
  for (const each of [machine, open()]) {
    now += 1_000_000;
    expect(() => each.admit(first, publicKey)).toThrow(expect.objectContaining({ code: 'superseded' }));
    expect(each.claim()).toBe(second);
    expect(each.admit(second, publicKey)).toBe(true);
  }
});

it('a copy that was started later is obeyed, the other one after 30 seconds of silence', () => {
  const machine = open();
  const [earlier, later] = [sign(1, 1), sign(1, 2)];
  machine.admit(earlier, publicKey);
  machine.admit(later, publicKey);
  now = 29_999;
  expect(() => machine.admit(earlier, publicKey)).toThrow(expect.objectContaining({ code: 'other_panel' }));
  // A restart of the machine does not end the lease.
  const again = open();
  now += 29_999;
  expect(() => again.admit(earlier, publicKey)).toThrow(expect.objectContaining({ code: 'other_panel' }));
  now += 1;
  expect(again.admit(earlier, publicKey)).toBe(true);
});

it('what the key of the panel has not signed is no claim', () => {
  const machine = open();
  const signed = sign(1, 1);
  for (const text of ['', signed.slice(0, -1), signed.replace('1 1', '2 1'), sign(9, 9, makeKeys().privateKey)])
    expect(machine.admit(text, publicKey)).toBe(false);
  expect(stored).toBeNull();
});
