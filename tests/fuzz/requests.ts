// Random requests to every operation of the table: valid ones, mutated ones, and such that only look like one.
import { METHODS } from 'node:http';
import fc from 'fast-check';
import type { ApiOperation } from '../../src/contract/operation.ts';
import { API_OPERATIONS } from '../../src/contract/table.ts';
import { buildArbitrary } from '../support/arbitrary-of.ts';
import { queryPairs } from '../support/http-client.ts';
import { corrupted, mutated } from '../support/mutate.ts';

export interface FuzzRequest {
  readonly key: 'full' | 'read' | 'none' | 'wrong';
  readonly method: string;
  /** Of the table, or null for a path that is in none. */
  readonly template: string | null;
  /** One for each parameter of the template: a number chooses among the records that are there, a text stands as it is. */
  readonly ids: readonly (number | string)[];
  /** The path where there is no template. */
  readonly path: string;
  /** With its `?`, or empty. */
  readonly search: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Buffer | undefined;
  /** Whether the tariffs and inbounds that the body names are replaced by such as are there. */
  readonly isAware: boolean;
}

/** What Node's parser takes; CONNECT never comes as a request. */
export const KNOWN_METHODS = METHODS.filter((method) => method !== 'CONNECT');

const usual = <T>(value: T, other: fc.Arbitrary<T>, weight: number): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary: fc.constant(value), weight }, { arbitrary: other, weight: 1 });

const ODD_IDS = [
  '0',
  '-1',
  '007',
  '1.0',
  '1e1',
  '9007199254740991',
  '9007199254740993',
  '99999999999999999999',
  'x',
  '%31',
  '%D9%A1',
  '+1',
];
const id = fc.oneof({ arbitrary: fc.nat({ max: 10_000 }), weight: 12 }, fc.constantFrom<string>(...ODD_IDS));

const TEXTS = [
  '',
  'true',
  'TRUE',
  '0',
  '1',
  '-1',
  '501',
  '1.5',
  '9007199254740993',
  'null',
  'id',
  '-id',
  '24h',
  '%',
  '*',
  '\u0000',
  'ПРИВ',
];
const word = fc.oneof(fc.constantFrom(...TEXTS, 'a'.repeat(101)), fc.string({ unit: 'binary', maxLength: 8 }));

type Pair = readonly [string, string];

function encode([name, value]: Pair): string {
  return `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(value.toWellFormed())}`;
}

/** The query of an operation: valid, or with parameters replaced, repeated, added or wrongly encoded. */
function search({ query }: ApiOperation): fc.Arbitrary<string> {
  const names = fc.oneof(fc.constantFrom(...Object.keys(query.shape), 'unknown', '__proto__', 'limit', ''), word);
  const valid = (buildArbitrary(query) as fc.Arbitrary<Record<string, unknown>>).map((record) => queryPairs(record));
  const more = fc.array(fc.tuple(names, word), { maxLength: 2 });
  const raw = fc.constantFrom(
    '%',
    '%ff',
    'limit=%C3%28',
    '&&&',
    '=',
    'q',
    '?',
    'cursor=W10',
    'limit=1&limit=2',
    '#',
    ';limit=1',
  );
  const mutatedPairs = fc.tuple(valid, more).map(([pairs, others]) => [...pairs, ...others].map(encode).join('&'));
  // One parameter alone breaks no rule between several.
  const single = valid.map((pairs) => pairs.slice(0, 1).map(encode).join('&'));
  const text = fc.oneof(
    { arbitrary: valid.map((pairs) => pairs.map(encode).join('&')), weight: 5 },
    { arbitrary: single, weight: 2 },
    { arbitrary: mutatedPairs, weight: 2 },
    { arbitrary: raw, weight: 1 },
  );
  return text.map((all) => (all === '' ? '' : `?${all}`));
}

function body({ method, body: schema, example }: ApiOperation): fc.Arbitrary<string | Buffer | undefined> {
  if (method === 'GET' || method === 'DELETE')
    return usual<string | Buffer | undefined>(undefined, fc.constant('{}'), 20);
  if (schema === null) return fc.constantFrom(undefined, '', '{}', '{"a":1}', 'null', '[]');
  const any = buildArbitrary(schema) as fc.Arbitrary<Record<string, unknown>>;
  // The example with a few other members: such meet the rules between members more often.
  const dice = fc.array(fc.nat({ max: 5 }), { minLength: 24, maxLength: 24 });
  const near = fc.tuple(any, dice).map(([members, eyes]) => {
    const some = Object.entries(members).filter((_, index) => eyes[index] === 0);
    return { ...(example.body as object | undefined), ...Object.fromEntries(some) };
  });
  const value = fc.oneof({ arbitrary: any, weight: 3 }, { arbitrary: near, weight: 2 });
  const text = value.map((whole) => JSON.stringify(whole));
  return fc.oneof(
    { arbitrary: text as fc.Arbitrary<string | Buffer | undefined>, weight: 6 },
    { arbitrary: mutated(value), weight: 3 },
    { arbitrary: corrupted(text), weight: 1 },
    { arbitrary: fc.constant(undefined), weight: 1 },
  );
}

const ETAGS = ['*', '"1-1"', 'W/"1-1"', '"1-1", "2-1"', '""', '"', 'x', '', '*, "1-1"', `"${'x'.repeat(1100)}"`];
const ACCEPTS = [
  '*/*',
  'application/json',
  'application/*;q=0.5',
  'text/html',
  'application/json;q=0',
  'x',
  '',
  'text/plain',
  ',',
  '*/*;q=2',
];
const PATCH = 'application/merge-patch+json';

/** Headers that the door reads, and such that it must not. */
const headers: fc.Arbitrary<FuzzRequest['headers']> = fc.record(
  {
    accept: fc.constantFrom(...ACCEPTS, 'application/openmetrics-text'),
    'idempotency-key': fc.oneof(
      fc.constantFrom('a', 'b', '', '\u00ff', 'x'.repeat(256)),
      fc.constant(['a', 'b']),
      fc.string().map((text) => text.replace(/[^ -~]/g, '.')),
    ),
    'if-match': fc.oneof(fc.constantFrom(...ETAGS), fc.constant(['"1-1"', '"2-1"'])),
    'if-none-match': fc.constant('*'),
    'x-http-method-override': fc.constantFrom('DELETE', 'PUT'),
    'x-forwarded-for': fc.constantFrom('127.0.0.1', 'x', '::1, 1.2.3.4'),
    'x-request-id': fc.constantFrom('mine', '<script>'),
    cookie: fc.constant('__Host-panel-x=y'),
    origin: fc.constantFrom('https://evil.example', 'null'),
    range: fc.constant('bytes=0-1'),
    'accept-encoding': fc.constantFrom('gzip', 'br, *;q=0'),
    'content-encoding': fc.constantFrom('gzip', 'identity', 'x'),
    'transfer-encoding': fc.constant('chunked'),
    te: fc.constant('trailers'),
    expect: fc.constant('100-continue'),
  },
  { requiredKeys: [] },
);
/** Most requests have few of them. */
const someHeaders = usual<FuzzRequest['headers']>({}, headers, 4);

function contentType(method: string): fc.Arbitrary<string | undefined> {
  const odd = fc.constantFrom(
    undefined,
    'text/plain',
    'application/json; charset=latin1',
    '',
    'application/JSON',
    'x',
    PATCH,
  );
  return usual<string | undefined>(method === 'PATCH' ? PATCH : 'application/json', odd, 12);
}

const key = fc.oneof(
  { arbitrary: fc.constant('full' as const), weight: 16 },
  { arbitrary: fc.constant('read' as const), weight: 2 },
  { arbitrary: fc.constantFrom('none' as const, 'wrong' as const), weight: 1 },
);

function toOperation(operation: ApiOperation): fc.Arbitrary<FuzzRequest> {
  const { method, path } = operation;
  const count = [...path.matchAll(/\{/g)].length;
  return fc
    .record({
      key,
      method: usual(method as string, fc.constantFrom(...KNOWN_METHODS), 15),
      ids: fc.array(id, { minLength: count, maxLength: count }),
      search: search(operation),
      headers: someHeaders,
      body: body(operation),
      isAware: fc.boolean(),
      type: contentType(method),
    })
    .map(({ type, headers: others, ...rest }) => {
      const typed = rest.body === undefined || type === undefined ? {} : { 'content-type': type };
      return { ...rest, template: path, path: '', headers: { ...typed, ...others } };
    });
}

/** A request that meets the schemas of its operation. */
export function validRequest(operation: ApiOperation): fc.Arbitrary<FuzzRequest> {
  const { method, path, query, body: schema, example } = operation;
  const count = [...path.matchAll(/\{/g)].length;
  const pairs = (buildArbitrary(query) as fc.Arbitrary<Record<string, unknown>>).map((record) => queryPairs(record));
  const bodies =
    schema === null
      ? fc.constant(undefined)
      : fc
          .oneof(
            { arbitrary: fc.constant(example.body ?? {}), weight: 1 },
            { arbitrary: buildArbitrary(schema), weight: 2 },
          )
          .map((value) => JSON.stringify(value));
  const type = method === 'PATCH' ? PATCH : 'application/json';
  return fc
    .record({
      ids: fc.array(fc.nat({ max: 10_000 }), { minLength: count, maxLength: count }),
      pairs,
      body: bodies,
    })
    .map(({ pairs: parameters, ...rest }) => {
      const text = parameters.map(encode).join('&');
      const headers = rest.body === undefined ? {} : { 'content-type': type };
      return {
        ...rest,
        key: 'full',
        method,
        template: path,
        path: '',
        search: text && `?${text}`,
        headers,
        isAware: true,
      };
    });
}

const SEGMENTS = [
  'users',
  '1',
  'bulk',
  'keys',
  'nodes',
  'panel',
  '..',
  '.',
  '',
  '%2e%2e',
  'metrics',
  'USERS',
  'users;x',
  '%00',
  '1/2',
];
const toNothing: fc.Arbitrary<FuzzRequest> = fc
  .record({
    key,
    method: fc.constantFrom(...KNOWN_METHODS),
    path: fc.array(fc.constantFrom(...SEGMENTS), { maxLength: 4 }).map((all) => `/${all.join('/')}`),
    search: fc.constantFrom('', '?', '?a=1'),
    headers: someHeaders,
    body: fc.constantFrom(undefined, '{}'),
    isAware: fc.constant(false),
  })
  .map((rest) => ({ ...rest, template: null, ids: [] }));

/** Any request; one in thirty to a path that is in no table. */
export const fuzzRequest: fc.Arbitrary<FuzzRequest> = fc.oneof(
  { arbitrary: fc.oneof(...API_OPERATIONS.map(toOperation)), weight: 29 },
  { arbitrary: toNothing, weight: 1 },
);
