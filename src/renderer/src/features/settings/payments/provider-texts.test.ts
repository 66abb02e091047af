// What the list of payment providers says of each, and what its form refuses before anything is sent.
import { expect, it } from 'vitest';
import { lookOf, wrongFieldsOf } from './provider-texts.ts';

it('says what needs attention first', () => {
  const fine = { kind: 'stripe' as const, enabled: true, error: null, secrets: ['secret_key'] };
  expect(lookOf(fine).text).toBe('payments.state.enabled');
  expect(lookOf({ ...fine, error: 'timeout' }).text).toBe('payments.state.failing');
  expect(lookOf({ ...fine, error: 'timeout', enabled: false }).text).toBe('payments.state.disabled');
  expect(lookOf({ ...fine, secrets: [], enabled: false }).text).toBe('payments.state.noKeys');
});

it('refuses what is missing or malformed, but not a saved secret that is left empty', () => {
  expect(wrongFieldsOf('yookassa', { shop_id: 'x', vat_code: '13' }, [])).toEqual({
    shop_id: 'format',
    secret_key: 'required',
    vat_code: 'format',
  });
  expect(wrongFieldsOf('yookassa', { shop_id: ' 1 ', vat_code: '' }, ['secret_key'])).toEqual({});
  expect(wrongFieldsOf('stars', { bot_token: '', api_root: 'ftp://x' }, ['bot_token'])).toEqual({ api_root: 'format' });
});
