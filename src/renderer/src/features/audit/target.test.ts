// Entries lead to the pages of their records.
import { describe, expect, it } from 'vitest';
import { buildTargetPath, isGone, parseTarget } from './target.ts';

describe('parseTarget', () => {
  it.each([
    ['user:7', ['users', '7']],
    ['tariff:2', ['plans', '2']],
    ['inbound:3', ['connections', '3']],
    ['node:1', ['nodes', '1']],
    ['key:4', ['settings', 'security']],
    ['backup:2026-11-20 03:00.gatehouse', ['settings', 'backups']],
    ['certificate', ['settings', 'certificates']],
  ])('%s is at %o', (text, path) => {
    const target = parseTarget(text);
    expect(target && buildTargetPath(target)).toEqual(path);
  });

  it('leaves alone what it does not know', () => {
    expect(parseTarget('payment:9')).toBeNull();
  });

  it('keeps a colon in an id', () => {
    expect(parseTarget('backup:03:00')).toEqual({ kind: 'backup', id: '03:00' });
  });
});

it('recognises deleted targets', () => {
  expect([isGone('deleteUser'), isGone('deleteGrant'), isGone('updateUser')]).toEqual([true, false, false]);
});
