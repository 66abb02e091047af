// Errors of a form: shown at the field, in the administrator's language, before sending and after a refusal.
import i18next from 'i18next';
import { beforeAll, describe, expect, it } from 'vitest';
import { PanelCallError } from '../../../../contract/client.ts';
import { buildProblem, type ErrorCode, type FieldError } from '../../../../contract/errors.ts';
import { pages as en } from '../../../../i18n/en/pages/index.ts';
import { pages as ru } from '../../../../i18n/ru/pages/index.ts';
import { findField, refusedFields, wrongFields } from './field-errors.ts';

const i18n = i18next.createInstance();
beforeAll(() =>
  i18n.init({ lng: 'en', resources: { en, ru }, defaultNS: 'common', interpolation: { escapeValue: false } }),
);
const t = (language: 'en' | 'ru' = 'en') => i18n.getFixedT(language, 'errors');

describe('wrongFields', () => {
  it('finds nothing in what can be sent', () => {
    expect(wrongFields(t(), 'createUser', { name: 'Anna', tariff_id: 1 })).toEqual({});
    expect(wrongFields(t(), 'updateUser', { id: 7, note: '' })).toEqual({});
    expect(wrongFields(t(), 'setUp', { token: 'x', name: 'admin', password: 'correct horse' })).toEqual({});
  });

  it('names every wrong field once, with its bound', () => {
    const wrong = wrongFields(t(), 'createUser', { name: '', tags: ['a', 'a'], traffic_limit: 0.5, device_limit: 101 });
    expect(wrong).toEqual({
      name: 'Fill this in',
      tariff_id: 'Fill this in',
      tags: 'Duplicates are not allowed',
      traffic_limit: 'A whole number',
      device_limit: 'At most 100',
    });
  });

  it('rejects what a text may not contain', () => {
    expect(wrongFields(t(), 'createUser', { name: '   ', tariff_id: 1 })).toEqual({ name: 'This must not be blank' });
    expect(wrongFields(t(), 'createUser', { name: 'a\u0007', tariff_id: 1 })).toEqual({
      name: 'Control characters are not allowed',
    });
    expect(wrongFields(t(), 'setUp', { token: 'x', name: 'admin', password: 'short' })).toEqual({
      password: 'At least 8 characters',
    });
  });

  it('uses the plurals of Russian', () => {
    const wrong = wrongFields(t('ru'), 'createUser', { name: 'x'.repeat(101), tariff_id: 1 });
    expect(wrong).toEqual({ name: 'Не больше 100 символов' });
  });

  it('asks to fill an empty field in, whatever its form would be', () => {
    expect(wrongFields(t(), 'createNode', { name: 'Frankfurt', address: '' })).toEqual({ address: 'Fill this in' });
  });
});

describe('refusedFields', () => {
  const refusal = (code: ErrorCode, errors: FieldError[]) => new PanelCallError(buildProblem(code, 'r1', errors));

  it('puts each error at its field', () => {
    const failure = refusal('validation', [
      { pointer: '#/name', code: 'required', message: 'is required' },
      { pointer: '#/tags/3', code: 'too_big', message: 'must have at most 32 characters' },
      { parameter: 'limit', code: 'format', message: 'has the wrong form' },
    ]);
    expect(refusedFields(t(), failure)).toEqual({
      name: 'Fill this in',
      tags: 'must have at most 32 characters',
      limit: 'Wrong format',
    });
  });

  it('describes a refusal by its own code', () => {
    const failure = refusal('tariff_not_found', [{ pointer: '#/tariff_id', code: 'invalid', message: 'no such plan' }]);
    expect(refusedFields(t(), failure)).toEqual({
      tariff_id: 'That plan does not exist or is archived. Choose another.',
    });
  });
});

describe('findField', () => {
  it('reads pointers as RFC 6901 writes them', () => {
    expect(findField({ pointer: '#/a~1b', code: 'invalid', message: '' })).toBe('a/b');
    expect(findField({ pointer: '#/%D0%B8%D0%BC%D1%8F/0', code: 'invalid', message: '' })).toBe('имя');
    expect(findField({ pointer: '#', code: 'invalid', message: '' })).toBeNull();
    expect(findField({ code: 'invalid', message: '' })).toBeNull();
  });
});
