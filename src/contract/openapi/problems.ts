// The problems of each operation in the OpenAPI file: one response for each set of codes.
import type { ZodOpenApiSchemaObject } from 'zod-openapi';
import {
  BODY_ERRORS,
  buildProblem,
  COMMON_ERRORS,
  ERRORS,
  type ErrorCode,
  type FieldError,
  IDEMPOTENCY_ERRORS,
  type InUse,
  WRITE_ERRORS,
} from '../errors.ts';
import { type ApiOperation, acceptsIdempotencyKey, hasBody, isReading } from '../operation.ts';
import { API_OPERATIONS } from '../table.ts';

const CODES = Object.keys(ERRORS) as ErrorCode[];

/** Every error code of an operation of the API door, in the order of the table of errors. */
export function listErrorCodes(operation: ApiOperation): readonly ErrorCode[] {
  const { method } = operation;
  const codes = new Set<ErrorCode>([
    ...COMMON_ERRORS,
    ...(isReading(operation) ? [] : WRITE_ERRORS),
    ...(hasBody(method) ? BODY_ERRORS : []),
    ...(acceptsIdempotencyKey(operation) ? IDEMPOTENCY_ERRORS : []),
    ...operation.errors,
  ]);
  return CODES.filter((code) => codes.has(code));
}

/** Codes for an unknown path or method. */
const OUTSIDE_OPERATIONS = ['panel_only', 'not_found', 'method_not_allowed'] as const satisfies readonly ErrorCode[];

/** Every code of the API door; the others belong to the panel door. */
export function apiErrorCodes(): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>([...OUTSIDE_OPERATIONS, ...API_OPERATIONS.flatMap(listErrorCodes)]);
  return CODES.filter((code) => codes.has(code)).sort((a, b) => ERRORS[a].status - ERRORS[b].status);
}

/** The schema of a problem document. Like every reply it allows additional members. */
const PROBLEM_SCHEMA: ZodOpenApiSchemaObject = {
  type: 'object',
  description: 'RFC 9457. `detail` is the code for programs; `type` has the same code as a URN.',
  required: ['type', 'title', 'status', 'detail', 'instance'],
  properties: {
    type: { type: 'string', format: 'uri', description: '`urn:panel:problem:<code>`' },
    title: { type: 'string', description: 'For people; constant for each code.' },
    status: { type: 'integer', minimum: 400, maximum: 599, description: 'The HTTP status of the reply.' },
    detail: { $ref: '#/components/schemas/ProblemCode' },
    instance: { type: 'string', format: 'uri', description: '`urn:panel:request:<request id>`' },
    in_use: { $ref: '#/components/schemas/InUse' },
    errors: {
      type: 'array',
      description: 'Every failure of the request and its place, at most 100.',
      items: { $ref: '#/components/schemas/FieldError' },
    },
  },
};

const PROBLEM_CODE_SCHEMA: ZodOpenApiSchemaObject = {
  type: 'string',
  enum: [...apiErrorCodes()],
  description:
    'The code of a problem, for programs; the description of the API has their meanings. New codes may be added.',
};

const IN_USE_SCHEMA: ZodOpenApiSchemaObject = {
  type: 'object',
  description: 'With `tariff_in_use` and `inbound_in_use`: the records that use it. Kinds without one are absent.',
  properties: {
    users: { $ref: '#/components/schemas/Uses', description: 'The users of the record.' },
    tariffs: { $ref: '#/components/schemas/Uses', description: 'The tariffs with the record.' },
    inbounds: { $ref: '#/components/schemas/Uses', description: 'The inbounds that share the port of the record.' },
  },
};

const USING_RECORD_SCHEMA: ZodOpenApiSchemaObject = {
  type: 'object',
  description: 'A record that uses another one.',
  required: ['id', 'name'],
  properties: {
    id: { type: 'integer', minimum: 1, description: 'The id of the record.' },
    name: { type: 'string', description: 'The name of the record.' },
  },
};

const USES_SCHEMA: ZodOpenApiSchemaObject = {
  type: 'object',
  description: 'Records that use another one.',
  required: ['total', 'first'],
  properties: {
    total: { type: 'integer', minimum: 0, description: 'Their number.' },
    first: {
      type: 'array',
      maxItems: 10,
      description: 'The first ten, by id.',
      items: { $ref: '#/components/schemas/UsingRecord' },
    },
  },
};

/** The schemas of problem documents by their names. */
export const PROBLEM_SCHEMAS: Readonly<Record<string, ZodOpenApiSchemaObject>> = {
  Problem: PROBLEM_SCHEMA,
  ProblemCode: PROBLEM_CODE_SCHEMA,
  InUse: IN_USE_SCHEMA,
  Uses: USES_SCHEMA,
  UsingRecord: USING_RECORD_SCHEMA,
};

const EXAMPLE_REQUEST = '0b6f7d0e5c2b4f5e9a3d1c8e7f60a1b2';
const EXAMPLE_USERS = { total: 96, first: [{ id: 7, name: 'Anna Smirnova' }] };
const EXAMPLE_DETAILS: Partial<Record<ErrorCode, { readonly errors?: readonly FieldError[]; readonly inUse?: InUse }>> =
  {
    validation: { errors: [{ parameter: 'limit', code: 'too_big', message: 'must be at most 500' }] },
    bad_header: {
      errors: [{ parameter: 'Idempotency-Key', code: 'format', message: 'must be 1 to 255 printable characters' }],
    },
    tariff_in_use: { inUse: { users: EXAMPLE_USERS } },
    inbound_in_use: { inUse: { users: EXAMPLE_USERS, tariffs: { total: 1, first: [{ id: 1, name: 'Monthly' }] } } },
  };

/** Component examples, one for each code of an operation. */
export function problemExamples() {
  const used = new Set(API_OPERATIONS.flatMap(listErrorCodes));
  return Object.fromEntries(
    CODES.filter((code) => used.has(code)).map((code) => {
      const { errors, inUse } = EXAMPLE_DETAILS[code] ?? {};
      return [code, { summary: ERRORS[code].title, value: buildProblem(code, EXAMPLE_REQUEST, errors, inUse) }];
    }),
  );
}

const OWN_HEADERS: Readonly<Record<number, string>> = { 401: 'WWW-Authenticate', 429: 'Retry-After' };

/** The problems of an operation as references by status, and the component responses that they refer to. */
export function problemResponses(operation: ApiOperation, commonHeaders: readonly string[]) {
  const byStatus = Object.groupBy(listErrorCodes(operation), (code) => ERRORS[code].status);
  const references: Record<string, { $ref: string }> = {};
  const components: Record<string, ReturnType<typeof problemResponse>> = {};
  for (const [status, codes = []] of Object.entries(byStatus)) {
    const accepted = status === '415' && operation.method === 'PATCH';
    const name = codes.join('.') + (accepted ? '.patch' : '');
    const own = accepted ? 'Accept-Patch' : OWN_HEADERS[Number(status)];
    references[status] = { $ref: `#/components/responses/${name}` };
    components[name] = problemResponse(codes, own === undefined ? commonHeaders : [own, ...commonHeaders]);
  }
  return { references, components };
}

function problemResponse(codes: readonly ErrorCode[], headers: readonly string[]) {
  const examples = codes.map((code) => [code, { $ref: `#/components/examples/${code}` }] as const);
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].title}.`).join('\n'),
    headers: headerReferences(headers),
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(examples),
      },
    },
  };
}

/** References to component headers by their names. */
export function headerReferences(names: readonly string[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
