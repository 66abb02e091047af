// Which problems an operation may answer with, and how they stand in the OpenAPI file: one response for each set of codes.
import type { ZodOpenApiSchemaObject } from 'zod-openapi';
import {
  BODY_ERRORS,
  COMMON_ERRORS,
  ERRORS,
  type ErrorCode,
  type FieldError,
  IDEMPOTENCY_ERRORS,
  type InUse,
  problemOf,
  WRITE_ERRORS,
} from '../errors.ts';
import { type ApiOperation, hasBody, isReading, takesIdempotencyKey } from '../operation.ts';
import { API_OPERATIONS } from '../table.ts';

const CODES = Object.keys(ERRORS) as ErrorCode[];

/** Every code that an operation of the API door may answer with, in the order of the table of errors. */
export function errorsOf(operation: ApiOperation): readonly ErrorCode[] {
  const { method } = operation;
  const codes = new Set<ErrorCode>([
    ...COMMON_ERRORS,
    ...(isReading(operation) ? [] : WRITE_ERRORS),
    ...(hasBody(method) ? BODY_ERRORS : []),
    ...(takesIdempotencyKey(operation) ? IDEMPOTENCY_ERRORS : []),
    ...operation.errors,
  ]);
  return CODES.filter((code) => codes.has(code));
}

/** Codes that answer a path or a method which is no operation. */
const OUTSIDE_OPERATIONS = ['panel_only', 'not_found', 'method_not_allowed'] as const satisfies readonly ErrorCode[];

/** Every code that the API door knows; the others belong to the panel's own door. */
export function apiErrorCodes(): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>([...OUTSIDE_OPERATIONS, ...API_OPERATIONS.flatMap(errorsOf)]);
  return CODES.filter((code) => codes.has(code)).sort((a, b) => ERRORS[a].status - ERRORS[b].status);
}

/** The schema of a problem document. Open, as every reply: members may be added. */
const PROBLEM_SCHEMA: ZodOpenApiSchemaObject = {
  type: 'object',
  description: 'RFC 9457. `detail` is the code that programs read; `type` carries the same code as a URN.',
  required: ['type', 'title', 'status', 'detail', 'instance'],
  properties: {
    type: { type: 'string', format: 'uri', description: '`urn:panel:problem:<code>`' },
    title: { type: 'string', description: 'For people; the same for every problem of the code.' },
    status: { type: 'integer', minimum: 400, maximum: 599, description: 'The HTTP status of the reply.' },
    detail: { $ref: '#/components/schemas/ProblemCode' },
    instance: { type: 'string', format: 'uri', description: '`urn:panel:request:<request id>`' },
    in_use: { $ref: '#/components/schemas/InUse' },
    errors: {
      type: 'array',
      description: 'What is wrong and where: every failure of the request, at most 100.',
      items: { $ref: '#/components/schemas/FieldError' },
    },
  },
};

const PROBLEM_CODE_SCHEMA: ZodOpenApiSchemaObject = {
  type: 'string',
  enum: [...apiErrorCodes()],
  description:
    'What programs read of a problem; the meaning of each code is in the description of the API. More may come in later versions.',
};

const IN_USE_SCHEMA: ZodOpenApiSchemaObject = {
  type: 'object',
  description: 'With `tariff_in_use` and `inbound_in_use`: what uses the record. A kind that does not is absent.',
  properties: {
    users: { $ref: '#/components/schemas/Uses', description: 'The users of the record.' },
    tariffs: { $ref: '#/components/schemas/Uses', description: 'The plans that name the record.' },
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
    total: { type: 'integer', minimum: 0, description: 'How many there are.' },
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

/** Component examples, one for each code that an operation answers with. */
export function problemExamples() {
  const used = new Set(API_OPERATIONS.flatMap(errorsOf));
  return Object.fromEntries(
    CODES.filter((code) => used.has(code)).map((code) => {
      const { errors, inUse } = EXAMPLE_DETAILS[code] ?? {};
      return [code, { summary: ERRORS[code].title, value: problemOf(code, EXAMPLE_REQUEST, errors, inUse) }];
    }),
  );
}

const OWN_HEADERS: Readonly<Record<number, string>> = { 401: 'WWW-Authenticate', 429: 'Retry-After' };

/** The problems of an operation as references by status, and the component responses that they name. */
export function problemResponses(operation: ApiOperation, commonHeaders: readonly string[]) {
  const byStatus = Object.groupBy(errorsOf(operation), (code) => ERRORS[code].status);
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
