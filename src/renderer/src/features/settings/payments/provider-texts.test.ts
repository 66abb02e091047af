// The state of a payment provider in the list, and validation of its form.
import { expect, it } from 'vitest';
import { permissionNames } from '../../../../../contract/sales/providers.ts';
import { describeProvider, findFieldErrors, listMissingPermissions } from './provider-texts.ts';

it('says what needs attention first', () => {
  const fine = { kind: 'stripe' as const, enabled: true, error: null, secrets: ['secret_key'] };
  expect(describeProvider(fine).text).toBe('payments.state.enabled');
  expect(describeProvider({ ...fine, error: 'timeout' }).text).toBe('payments.state.failing');
  expect(describeProvider({ ...fine, error: 'timeout', enabled: false }).text).toBe('payments.state.disabled');
  expect(describeProvider({ ...fine, secrets: [], enabled: false }).text).toBe('payments.state.noKeys');
});

it('names the permissions that a key must have, or lacks, as the list of the provider does', () => {
  const whole = 'Checkout Sessions: Write, Payment Intents: Read, Charges and Refunds: Write, Events: Read';
  expect(permissionNames()).toBe(whole);
  const lacks = ['lacks_charges_read', 'lacks_events_read'] as const;
  const failure = { errors: lacks.map((code) => ({ pointer: '#/fields/secret_key', code, message: '' })) };
  expect(permissionNames(listMissingPermissions(failure))).toBe('Charges and Refunds: Read, Events: Read');
  expect(listMissingPermissions(null)).toEqual([]);
  expect(listMissingPermissions({ errors: [{ pointer: '#/fields', code: 'keys_refused', message: '' }] })).toEqual([]);
});

it('refuses what is missing or malformed, but not a saved secret that is left empty', () => {
  expect(findFieldErrors('yookassa', { shop_id: 'x', vat_code: '13' }, [])).toEqual({
    shop_id: 'format',
    secret_key: 'required',
    vat_code: 'format',
  });
  expect(findFieldErrors('yookassa', { shop_id: ' 1 ', vat_code: '' }, ['secret_key'])).toEqual({});
  expect(findFieldErrors('stars', { bot_token: '', api_root: 'ftp://x' }, ['bot_token'])).toEqual({
    api_root: 'format',
  });
});
