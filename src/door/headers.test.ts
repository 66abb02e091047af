// Which media type answers which Accept header.
import { describe, expect, it } from 'vitest';
import { chooseType } from './headers.ts';

const json = ['application/json'];
const metrics = ['text/plain', 'application/openmetrics-text'];

describe('chooseType', () => {
  it.each([
    undefined,
    '*/*',
    '',
    'application/json',
    'application/*',
    'Application/JSON; charset=utf-8',
    'text/html, application/json;q=0.5',
    'text/html, */*;q=0.1',
    'application/json;q=0.001',
    'nonsense',
    '*/*;q=0, application/json',
  ])('answers %j with JSON', (accept) => {
    expect(chooseType(accept, json)).toBe('application/json');
  });

  it.each([
    'text/html',
    'application/xml, text/*',
    'application/json;q=0',
    '*/*;q=0',
    'application/json;q=0, */*',
    'application/*;q=0.0, */*;q=1',
    'application/problem+json',
  ])('finds nothing for %j', (accept) => {
    expect(chooseType(accept, json)).toBeNull();
  });

  it('takes the type that is wanted most', () => {
    expect(chooseType('*/*', metrics)).toBe('text/plain');
    expect(
      chooseType('application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1', metrics),
    ).toBe('application/openmetrics-text');
    expect(chooseType('application/openmetrics-text; q=0.3, text/plain; q=0.5', metrics)).toBe('text/plain');
    expect(chooseType('application/openmetrics-text, text/plain', metrics)).toBe('text/plain');
  });

  it('reads a hostile header in linear time', () => {
    expect(chooseType(`text/html${';a=1'.repeat(4000)}`, json)).toBeNull();
    expect(chooseType(`text/html;${' '.repeat(16_000)}x`, json)).toBeNull();
  });
});
