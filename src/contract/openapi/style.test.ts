// How the OpenAPI document is written: everything has a description, enums and objects are components, null and defaults have one form.
import { expect, it } from 'vitest';
import { openApiDocument } from './openapi.ts';
import { apiErrorCodes } from './problems.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly minLength?: number;
  readonly minItems?: number;
  readonly minProperties?: number;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

interface Described {
  readonly $ref?: string;
  readonly name?: string;
  readonly in?: string;
  readonly description?: string;
  readonly schema?: Schema;
  readonly headers?: Readonly<Record<string, Described>>;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface OperationNode {
  readonly operationId: string;
  readonly 'x-access': string;
  readonly parameters?: readonly Described[];
  readonly requestBody?: Described;
  readonly responses: Readonly<Record<string, Described>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationNode>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, Described>>>> & {
    readonly schemas: Readonly<Record<string, Schema>>;
  };
}

const document: Document = JSON.parse(JSON.stringify(openApiDocument({ serverUrl: 'https://10.0.0.5/p/api/v1' })));
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
const { schemas } = document.components;

/** What a reference leads to; anything else is itself. */
function resolve<T extends { readonly $ref?: string }>(node: T): T {
  const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(.+)$/.exec(node.$ref ?? '') ?? [];
  return kind === '' ? node : (document.components[kind]?.[name] as T);
}

/** The schemas within a schema, by where they are. */
function within(schema: Schema, at: string): (readonly [string, Schema])[] {
  const { items, additionalProperties, anyOf = [], oneOf = [], allOf = [] } = schema;
  const parts: (readonly [string, Schema])[] = Object.entries(schema.properties ?? {}).map(([name, property]) => [
    `${at}.${name}`,
    property,
  ]);
  for (const part of [...anyOf, ...oneOf, ...allOf]) parts.push([`${at}|`, part]);
  if (items !== undefined) parts.push([`${at}[]`, items]);
  if (typeof additionalProperties === 'object') parts.push([`${at}{}`, additionalProperties]);
  return parts.flatMap(([place, part]) => [[place, part] as const, ...within(part, place)]);
}

/** The schemas that are not named: bodies, parameters and headers, by where they are. */
const unnamed: (readonly [string, Schema])[] = operations.flatMap((operation) => {
  const id = operation.operationId;
  const { parameters = [], requestBody, responses } = operation;
  const replies = Object.values(responses).map(resolve);
  const contents = [requestBody, ...replies].flatMap((part) => Object.entries(part?.content ?? {}));
  return [
    ...parameters.map(resolve).map(({ name, schema = {} }) => [`${id} ${name}`, schema] as const),
    ...contents.map(([type, { schema }]) => [`${id} ${type}`, schema] as const),
  ];
});

/** Every schema of the document, by where it is. */
const everySchema = [...Object.entries(schemas), ...unnamed].flatMap(([at, schema]) => [
  [at, schema] as const,
  ...within(schema, at),
]);

function hasDescription(node: Schema | Described): boolean {
  if (/\S/.test(node.description ?? '')) return true;
  if (node.$ref !== undefined) return hasDescription(resolve(node));
  const alternatives = 'anyOf' in node ? (node.anyOf ?? []) : [];
  return (
    alternatives.some(({ type }) => type === 'null') &&
    alternatives.some(({ $ref }) => $ref && hasDescription({ $ref }))
  );
}

it('describes every component, field, parameter, header and body', () => {
  const fields = everySchema.filter(([at]) => /\.\w+$/.test(at));
  const components = Object.entries(document.components).flatMap(([kind, all]) =>
    kind === 'examples' ? [] : Object.entries(all).map(([name, node]) => [`${kind} ${name}`, node] as const),
  );
  const parts = operations.flatMap(({ operationId, parameters = [], requestBody, responses }) => [
    ...parameters.map(resolve).map((parameter) => [`${operationId} ${parameter.name}`, parameter] as const),
    ...Object.entries(responses).map(([status, node]) => [`${operationId} ${status}`, resolve(node)] as const),
    ...Object.values(responses).flatMap((response) =>
      Object.entries(resolve(response).headers ?? {}).map(([name, node]) => [name, resolve(node)] as const),
    ),
    ...Object.values(requestBody?.content ?? {}).map(({ schema }) => [`${operationId} body`, schema] as const),
  ]);
  const all = [...components, ...fields, ...parts];
  expect(all.length).toBeGreaterThan(1000);
  expect(all.flatMap(([at, node]) => (hasDescription(node) ? [] : at))).toEqual([]);
});

it('names every enum once', () => {
  const enums = Object.entries(schemas).filter(([, schema]) => schema.enum !== undefined);
  expect(enums.map(([name]) => name)).toEqual(
    expect.arrayContaining(['UserState', 'ResetStrategy', 'Protocol', 'Network', 'Security', 'Lifetime', 'GrantState']),
  );
  const names = new Set(enums.map(([name]) => name));
  const inline = everySchema.filter(([at, schema]) => schema.enum !== undefined && !names.has(at));
  expect(inline.map(([at]) => at)).toEqual([]);
  const sameValues = Object.groupBy(enums, ([, schema]) => JSON.stringify(schema.enum?.toSorted()));
  expect(Object.values(sameValues).filter((same) => same?.length !== 1)).toEqual([]);
});

it('has the codes of problems in one enum, wherever a code is answered', () => {
  expect(schemas.ProblemCode?.enum).toEqual(apiErrorCodes());
  expect(schemas.Problem?.properties?.detail).toMatchObject({ $ref: '#/components/schemas/ProblemCode' });
  expect(schemas.UserBatchItem?.properties?.code).toMatchObject({ $ref: '#/components/schemas/ProblemCode' });
});

it('names every object', () => {
  const objects = everySchema.filter(([, schema]) => schema.properties !== undefined);
  expect(objects.flatMap(([at]) => (at in schemas ? [] : at))).toEqual([]);
});

it('has one form of null: a second type, or beside a reference an alternative', () => {
  const wrong = everySchema.filter(([, { anyOf = [], oneOf = [], type }]) => {
    const alternatives = [...anyOf, ...oneOf];
    if (alternatives.some((part) => part.type === 'null')) {
      return anyOf.length !== 2 || anyOf[0]?.$ref === undefined || anyOf[1]?.type !== 'null';
    }
    return Array.isArray(type) && !(type.length === 2 && type[1] === 'null');
  });
  expect(wrong.map(([at]) => at)).toEqual([]);
  expect(JSON.stringify(document)).not.toContain('"nullable"');
});

it('has defaults as values, not in words', () => {
  expect(schemas.TariffCreate?.properties?.starts).toMatchObject({ default: 'on_creation' });
  expect(schemas.UserBatch?.properties?.dry_run).toMatchObject({ default: false });
  const inWords = everySchema.filter(([, { description = '' }]) => /\bdefaults?\b/i.test(description));
  expect(inWords.map(([at]) => at)).toEqual([]);
});

it('promises the subscription link in the replies of operations for Full access, and only there', () => {
  expect(schemas.User?.required).not.toContain('sub_url');
  expect(schemas.UserWithLink?.required?.toSorted()).toEqual([...(schemas.User?.required ?? []), 'sub_url'].toSorted());
  expect(schemas.UserBatchItem?.properties?.user?.$ref).toBe('#/components/schemas/UserWithLink');
  for (const { operationId, responses, 'x-access': access } of operations) {
    const media = Object.values(responses).map(({ content }) => content?.['application/json']?.schema.$ref ?? '');
    const users = media.filter((reference) => /\/User(?:WithLink)?$/.test(reference));
    const expected = access === 'full' ? '#/components/schemas/UserWithLink' : '#/components/schemas/User';
    expect(
      users.every((reference) => reference === expected),
      operationId,
    ).toBe(true);
  }
});

it('has no condition that takes an empty value, which a program that left a variable empty would send', () => {
  const parameters = operations.flatMap(({ operationId, parameters: all = [] }) =>
    all
      .map(resolve)
      .filter((parameter) => parameter.in === 'query')
      .map(({ name, schema = {} }) => [`${operationId} ${name}`, schema] as const),
  );
  const members = Object.entries(schemas.UserFilter?.properties ?? {}).map(([name, schema]) => [name, schema] as const);
  const conditions = [...parameters, ...members].flatMap(([at, schema]) =>
    [schema, ...(schema.anyOf ?? [])].map((each) => [at, resolve(each)] as const),
  );
  const takesEmpty = ({ type, format, enum: values, minLength, minItems, minProperties }: Schema) =>
    (type === 'string' && values === undefined && format === undefined && !minLength) ||
    (type === 'array' && !minItems) ||
    (type === 'object' && !minProperties);
  expect(conditions.length).toBeGreaterThan(50);
  // A search field of a page that is empty changes nothing; an empty cursor is none that a list has given.
  const listed = new Set(conditions.flatMap(([at, schema]) => (takesEmpty(schema) ? at : [])));
  expect([...listed].filter((at) => !at.endsWith(' cursor'))).toEqual(['listUsers q']);
});
