// In the panel's OpenAPI document, every field of every operation has a type and a description.
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../../../../contract/openapi/openapi.ts';
import { API_OPERATIONS } from '../../../../../contract/table.ts';
import {
  type ApiDocument,
  describeSchema,
  describeType,
  listBounds,
  listBranches,
  listFailures,
  listParameters,
  listSuccesses,
  listValues,
  parseChapters,
  pickContent,
  resolve,
  type Schema,
} from './reference.ts';

const document = openApiDocument({ serverUrl: 'https://10.0.0.2:8443/secret/api/v1' }) as unknown as ApiDocument;

function getOperation(id: string) {
  const { path, method } = API_OPERATIONS.find((one) => one.id === id) ?? { path: '', method: '' };
  const described = document.paths[path]?.[method.toLowerCase()];
  if (described === undefined) throw new Error(`${id} is not in the document`);
  return described;
}

/** Paths of the fields below a schema that have no description or no type. */
function silentFields(schema: Schema, at: string, seen: readonly unknown[] = []): string[] {
  return listBranches(document, schema).flatMap(({ fields }) =>
    fields.flatMap(({ name, schema: inner }) => {
      const own = resolve(document, inner);
      const place = `${at}.${name}`;
      const isSilent =
        describeSchema(document, inner) === undefined || /any|undefined/.test(describeType(document, inner));
      return [...(isSilent ? [place] : []), ...(seen.includes(own) ? [] : silentFields(inner, place, [...seen, own]))];
    }),
  );
}

it('leaves no field of a request body without a type or a text', () => {
  for (const { id } of API_OPERATIONS) {
    const body = pickContent(getOperation(id).requestBody?.content)?.schema;
    if (body !== undefined) expect(silentFields(body, id), id).toEqual([]);
  }
});

it('has a reply and its errors for every operation', () => {
  for (const { id, output } of API_OPERATIONS) {
    const described = getOperation(id);
    const successes = listSuccesses(document, described);
    expect(successes.length, id).toBeGreaterThan(0);
    for (const { example, schema, headers } of successes) {
      expect(schema === undefined, id).toBe(output === null);
      expect(example === undefined, id).toBe(output === null);
      for (const { description } of headers) expect(description, id).toMatch(/\S/);
    }
    const failures = listFailures(document, described);
    expect(
      failures.map(({ code }) => code),
      id,
    ).toContain('unauthorized');
    for (const { title, example } of failures) {
      expect(title, id).toMatch(/\S/);
      expect(example, id).toMatchObject({ title });
    }
  }
});

describe('a schema in words', () => {
  const field = (name: string, of = 'createUser') => {
    const body = pickContent(getOperation(of).requestBody?.content)?.schema ?? {};
    const found = listBranches(document, body)[0]?.fields.find((one) => one.name === name);
    if (found === undefined) throw new Error(`${of} has no ${name}`);
    return found;
  };

  it('names types, values and bounds', () => {
    expect(describeType(document, field('expires_at').schema)).toBe('string (date-time) | null');
    expect(describeType(document, field('tags').schema)).toBe('array of string');
    expect(describeType(document, field('metadata').schema)).toBe('map of string');
    expect(describeType(document, field('duration', 'createTariff').schema)).toBe('object | null');
    expect(listValues(document, field('reset_strategy').schema)).toContain('month');
    expect(listBounds(document, field('device_limit').schema)).toEqual([{ of: 'value', min: 1, max: 100 }]);
    expect(listBounds(document, field('tariff_id').schema)).toEqual([{ of: 'value', min: 1, max: undefined }]);
    expect([field('name').isRequired, field('note').isRequired]).toEqual([true, false]);
  });

  it('names the kinds that a value may be one of', () => {
    const names = listBranches(document, field('duration', 'createTariff').schema).map(({ name }) => name);
    expect(names).toEqual(['DurationInDays', 'DurationInMonths']);
  });
});

it('finds the parameters of an operation by their places', () => {
  const names = (where: 'path' | 'query' | 'header') =>
    listParameters(document, getOperation('extendUser'), where).map(({ name }) => name);
  expect([names('path'), names('query'), names('header')]).toEqual([['id'], [], ['Idempotency-Key']]);
});

it('parts the description into chapters with names for the address', () => {
  const chapters = parseChapters(document);
  expect(chapters.map(({ id }) => id)).toEqual([
    '',
    'keys',
    'trusting-the-panel-s-ca',
    'requests-and-replies',
    'errors',
    'repeating-a-post-safely',
    'concurrent-changes',
    'paging',
    'rate-limits',
    'versions',
  ]);
  for (const { text } of chapters) expect(text.length).toBeGreaterThan(40);
});
