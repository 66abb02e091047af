import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { ERRORS, type ErrorCode } from '../errors.ts';
import { EVENT_TYPES } from '../event-types.ts';
import { type ApiOperation, acceptsIdempotencyKey, TAGS } from '../operation.ts';
import { API_OPERATIONS, OPERATIONS } from '../table.ts';
import { openApiDocument } from './openapi.ts';
import { apiErrorCodes, listErrorCodes } from './problems.ts';

const serverUrl = 'https://10.0.0.5:8443/secret-path/api/v1';
// As a client gets it: through JSON, so that nothing but data is in it.
const document = JSON.parse(JSON.stringify(openApiDocument({ serverUrl })));

interface Media {
  readonly schema: Record<string, unknown>;
  readonly example?: unknown;
  readonly examples?: Record<string, { readonly $ref: string }>;
}
type Content = Record<string, Media>;
interface OperationNode {
  readonly operationId: string;
  readonly tags: string[];
  readonly security: Record<string, string[]>[];
  readonly parameters?: { $ref?: string; name?: string; in?: string; example?: unknown; schema?: unknown }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Record<string, { $ref?: string; headers?: Record<string, unknown>; content?: Content }>;
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ $id: 'https://panel.invalid/openapi.json', components: document.components });

function validator(schema: unknown): ValidateFunction {
  return ajv.compile(
    JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"https://panel.invalid/openapi.json#/components/')),
  );
}

function failures(schema: unknown, value: unknown): unknown[] {
  const validate = validator(schema);
  validate(value);
  return validate.errors ?? [];
}

function node(operation: ApiOperation): OperationNode {
  return document.paths[operation.path][operation.method.toLowerCase()];
}

function buildSchemaRef(name: string): Record<string, unknown> {
  return { $ref: `#/components/schemas/${name}` };
}

const operations = API_OPERATIONS.map((operation) => [operation.id, operation] as const);

describe('the OpenAPI file', () => {
  it('has the address and the version that it is asked for, and is the same each time', () => {
    expect(document.openapi).toBe('3.1.1');
    expect(document.servers).toEqual([{ url: serverUrl, description: 'This panel.' }]);
    expect(document.info.version).toBe('1.0.0');
    expect(openApiDocument({ serverUrl, version: '1.2.0' }).info.version).toBe('1.2.0');
    expect(JSON.stringify(openApiDocument({ serverUrl }))).toBe(JSON.stringify(openApiDocument({ serverUrl })));
  });

  it('has the operations of the API door, all of them and no other', () => {
    const described = Object.entries<Record<string, OperationNode>>(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${method.toUpperCase()} ${path} ${operationId}`),
    );
    expect(described.toSorted()).toEqual(API_OPERATIONS.map((o) => `${o.method} ${o.path} ${o.id}`).toSorted());
    const panelOnly = Object.values(OPERATIONS).filter(({ door }) => door === 'panel');
    expect(panelOnly.length).toBeGreaterThan(0);
    const text = JSON.stringify(document);
    for (const { id } of panelOnly) expect(text).not.toContain(`"${id}"`);
  });

  it('describes every tag that it uses', () => {
    const described = document.tags.map(({ name }: { name: string }) => name);
    expect(described).toEqual(Object.keys(TAGS));
    for (const operation of API_OPERATIONS) expect(node(operation).tags).toEqual([operation.tag]);
  });

  it('tells every code of the API door, and none that only the panel has', () => {
    const codes = apiErrorCodes();
    for (const code of codes) expect(document.info.description).toContain(`| ${ERRORS[code].status} | \`${code}\` |`);
    const others = (Object.keys(ERRORS) as ErrorCode[]).filter((code) => !codes.includes(code));
    expect(others).toEqual(expect.arrayContaining(['sign_in_failed', 'signed_out', 'node_in_use']));
    for (const code of others) expect(JSON.stringify(document)).not.toContain(code);
  });

  it('has a valid problem document as the example of each code', () => {
    for (const [code, { value }] of Object.entries<{ value: Record<string, unknown> }>(document.components.examples)) {
      expect(failures(buildSchemaRef('Problem'), value), code).toEqual([]);
      expect(value).toMatchObject({ detail: code, status: ERRORS[code as ErrorCode].status });
    }
  });

  it('closes requests and leaves replies open', () => {
    const create = { name: 'Anna', tariff_id: 1 };
    expect(failures(buildSchemaRef('UserCreate'), create)).toEqual([]);
    expect(failures(buildSchemaRef('UserCreate'), { ...create, is_admin: true })).toHaveLength(1);
    const record = API_OPERATIONS.find(({ id }) => id === 'getTariff')?.example.reply as object;
    expect(failures(buildSchemaRef('Tariff'), { ...record, later: 1 })).toEqual([]);
    expect(failures(buildSchemaRef('Tariff'), { ...record, price: { amount: 1, currency: 'EUR', later: 1 } })).toEqual(
      [],
    );
    expect(failures(buildSchemaRef('Tariff'), { ...record, id: 0 })).toHaveLength(1);
  });

  it('tells the rules that validation keeps', () => {
    const refused: [string, unknown][] = [
      ['UserCreate', { tariff_id: 1 }],
      ['UserCreate', { name: '  ', tariff_id: 1 }],
      ['UserCreate', { name: 'a\u0007b', tariff_id: 1 }],
      ['UserCreate', { name: 'x'.repeat(101), tariff_id: 1 }],
      ['UserCreate', { name: 'Anna', tariff_id: 1, tags: ['a', 'a'] }],
      ['UserCreate', { name: 'Anna', tariff_id: 1, expires_at: '2026-12-20T21:00:00' }],
      ['UserCreate', { name: 'Anna', tariff_id: 1, expires_at: '2026-12-20T21:00:00+1:00' }],
      ['UserPatch', { traffic_limit: 0 }],
      ['UserBulk', { action: 'extend', ids: [7, 7], days: 30 }],
      ['UserBulk', { action: 'enable', filter: {} }],
      ['InboundPatch', { host: 'a b' }],
      ['InboundPatch', { host: 'de1.example.com/' }],
      ['TariffCreate', { name: 'Plan', duration: { days: 1, months: 1 } }],
    ];
    const bodies = new Map(API_OPERATIONS.map(({ body }) => [body?.meta()?.id, body]));
    for (const [name, value] of refused) {
      expect(validator(buildSchemaRef(name))(value), `${name} ${JSON.stringify(value)}`).toBe(false);
      expect(bodies.get(name)?.safeParse(value).success).toBe(false);
    }
    for (const host of ['de1.example.com', 'пример.рф', '2001:db8::1', 'x']) {
      expect(failures(buildSchemaRef('InboundPatch'), { host })).toEqual([]);
    }
  });
});

// Without a style, generators repeat a list's name and write an object's members as parameters, which the panel refuses.
it('says how lists and objects are written in a query', () => {
  const styles: Record<string, unknown> = {};
  for (const operation of API_OPERATIONS) {
    for (const parameter of node(operation).parameters ?? []) {
      const { name, style, explode, schema } = parameter as {
        name?: string;
        style?: string;
        explode?: boolean;
        schema?: object;
      };
      const type = schema && 'type' in schema ? schema.type : undefined;
      if (type === 'array' || type === 'object' || (schema && 'anyOf' in schema)) {
        styles[`${operation.id} ${name}`] = [type, style, explode];
      }
    }
  }
  expect(styles).toEqual({
    'listUsers state': ['array', 'form', false],
    'listUsers ids': ['array', 'form', false],
    'listUsers metadata': ['object', 'deepObject', true],
    'listEvents type': ['array', 'form', false],
  });
});

describe.each(operations)('%s', (_, operation) => {
  const described = node(operation);

  it('has examples that its schemas accept', () => {
    const { example } = operation;
    for (const parameter of described.parameters ?? []) {
      if (parameter.example !== undefined) expect(failures(parameter.schema, parameter.example)).toEqual([]);
    }
    const named = (described.parameters ?? []).filter((p) => p.example !== undefined).map((p) => p.name);
    expect(named.toSorted()).toEqual(Object.keys({ ...example.params, ...example.query }).toSorted());
    const bodies = Object.values(described.requestBody?.content ?? {});
    const replies = Object.values(described.responses[operation.status]?.content ?? {});
    for (const media of [...bodies, ...replies]) expect(failures(media.schema, media.example)).toEqual([]);
    expect(replies.length).toBe(operation.output === null ? 0 : operation.produces.length);
  });

  it('asks for the keys, headers and bodies that it takes', () => {
    const keys = described.security.flatMap((requirement) => Object.keys(requirement));
    expect(keys).toEqual(operation.access === 'full' ? ['FullKey'] : ['ReadKey', 'FullKey']);
    const headers = (described.parameters ?? []).flatMap(({ $ref }) => $ref ?? []);
    expect(headers).toEqual([
      ...(acceptsIdempotencyKey(operation) ? ['#/components/parameters/IdempotencyKey'] : []),
      ...(operation.ifMatch ? ['#/components/parameters/IfMatch'] : []),
    ]);
    const types = Object.keys(described.requestBody?.content ?? {});
    const expected = {
      GET: [],
      DELETE: [],
      POST: ['application/json'],
      PUT: ['application/json'],
      PATCH: ['application/merge-patch+json', 'application/json'],
    };
    expect(types).toEqual(expected[operation.method]);
    expect(described.requestBody?.required ?? false).toBe(operation.body !== null);
  });

  it('tells every problem that it may answer with, by status', () => {
    const told = Object.entries(described.responses).flatMap(([status, { $ref }]) => {
      if ($ref === undefined) return [];
      const response = document.components.responses[$ref.replace('#/components/responses/', '')];
      const codes = Object.keys(response.content['application/problem+json'].examples) as ErrorCode[];
      for (const code of codes) expect(String(ERRORS[code].status)).toBe(status);
      expect(Object.keys(response.headers)).toContain('X-Request-Id');
      return codes;
    });
    expect(told.toSorted()).toEqual(listErrorCodes(operation).toSorted());
    for (const status of ['401', '422', '429', '500', '503']) expect(described.responses).toHaveProperty([status]);
  });
});

describe('events', () => {
  const schemas: Record<
    string,
    { readonly description?: string; readonly examples?: unknown[] } & Record<string, unknown>
  > = document.components.schemas;
  const { Event = {}, EventType } = schemas;

  it('are a union by type, in which each type has a description and an example of its own', () => {
    expect(Event.discriminator).toMatchObject({ propertyName: 'type' });
    const { mapping } = Event.discriminator as { mapping: Record<string, string> };
    expect(Object.keys(mapping).toSorted()).toEqual([...EVENT_TYPES].toSorted());
    const seen = new Set<string>();
    for (const [type, reference] of Object.entries(mapping)) {
      const name = reference.replace('#/components/schemas/', '');
      const schema = schemas[name];
      expect(schema?.description, type).toMatch(/\.$/);
      expect(schema?.examples, type).toHaveLength(1);
      const [example] = schema?.examples ?? [];
      expect(example).toMatchObject({ type });
      expect(failures(buildSchemaRef(name), example), type).toEqual([]);
      expect(failures(buildSchemaRef('Event'), example), type).toEqual([]);
      expect(failures(buildSchemaRef(name), { ...(example as object), type: 'user.exploded' }), type).not.toEqual([]);
      seen.add(name);
    }
    expect(seen.size).toBe(EVENT_TYPES.length);
  });

  it('have their types in one enum, which the filter names', () => {
    expect(EventType?.enum).toEqual(EVENT_TYPES);
    const filter = document.paths['/events'].get.parameters.find(({ name }: { name: string }) => name === 'type');
    expect(JSON.stringify(filter.schema)).toContain('#/components/schemas/EventType');
    const lists = JSON.stringify(document).split('"user.expiring","user.expired"');
    expect(lists, 'the list is written once').toHaveLength(2);
  });

  it('have a description of every member', () => {
    const isOfEvents = (name: string) => /Event$|EventData$|^Event/.test(name);
    for (const [name, schema] of Object.entries(schemas).filter(([name]) => isOfEvents(name))) {
      for (const [member, property] of Object.entries(schema.properties ?? {})) {
        const { $ref, description } = property as { $ref?: string; description?: string };
        const own = description ?? schemas[String($ref).replace('#/components/schemas/', '')]?.description;
        expect(own, `${name}.${member}`).toMatch(/\S/);
      }
    }
  });
});
