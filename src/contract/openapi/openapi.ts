// Generates the OpenAPI file from the table of operations, so that it always matches the API.
import type { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiOverrideContext } from 'zod-openapi';
import { type ApiOperation, acceptsIdempotencyKey, type Method, type SuccessStatus, TAGS } from '../operation.ts';
import { API_OPERATIONS } from '../table.ts';
import { headerReferences, PROBLEM_SCHEMAS, problemExamples, problemResponses } from './problems.ts';
import { codeSamples } from './samples.ts';
import { COMMON_HEADERS, HEADERS, infoDescription, PARAMETERS, SECURITY_SCHEMES } from './text.ts';
import { tidyDocument } from './tidy.ts';

/** The version of the API, not of the panel. */
export const API_VERSION = '1.0.0';

export type OpenApiDocument = ReturnType<typeof createDocument>;

export interface OpenApiPlace {
  /** The base address of the API, `https://<address>:<port>/<secret path>/api/v1`, without a slash at the end. */
  readonly serverUrl: string;
  /** The version of the API. */
  readonly version?: string;
}

const EMPTY_BODY = { type: 'object', description: 'No members.', additionalProperties: false } as const;

/** The OpenAPI 3.1.1 description of the API door; equal arguments give equal documents, member for member. */
export function openApiDocument({ serverUrl, version = API_VERSION }: OpenApiPlace): OpenApiDocument {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  const responses: Record<string, ReturnType<typeof problemResponses>['components'][string]> = {};
  for (const operation of API_OPERATIONS) {
    const problems = problemResponses(operation, COMMON_HEADERS);
    Object.assign(responses, problems.components);
    const described = { [operation.method.toLowerCase()]: operationObject(operation, problems.references, serverUrl) };
    paths[operation.path] = { ...paths[operation.path], ...described };
  }
  const document = createDocument(
    {
      openapi: '3.1.1',
      info: { title: 'Gatehouse panel API', version, description: infoDescription() },
      servers: [{ url: serverUrl, description: 'This panel.' }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      paths,
      components: {
        schemas: { ...PROBLEM_SCHEMAS, EmptyBody: EMPTY_BODY },
        parameters: PARAMETERS,
        headers: HEADERS,
        examples: problemExamples(),
        responses,
        securitySchemes: SECURITY_SCHEMES,
      },
    },
    { override },
  );
  for (const operation of API_OPERATIONS) {
    describeParameters(document, operation);
  }
  tidyDocument(document);
  return document;
}

function operationObject(
  operation: ApiOperation,
  problems: Record<string, { $ref: string }>,
  serverUrl: string,
): ZodOpenApiOperationObject {
  const { id, tag, summary, access, method, params, query } = operation;
  const headers = [
    ...(acceptsIdempotencyKey(operation) ? [reference('parameters', 'IdempotencyKey')] : []),
    ...(operation.ifMatch ? [reference('parameters', 'IfMatch')] : []),
  ];
  const keys = access === 'full' ? 'Requires a key with Full access.' : 'Any key.';
  const description = [operation.description, method === 'GET' ? `${keys} HEAD works too.` : keys];
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: description.filter((part) => part !== undefined).join('\n\n'),
    ...(headers.length > 0 ? { parameters: headers } : {}),
    requestParams: { ...(isEmpty(params) ? {} : { path: params }), ...(isEmpty(query) ? {} : { query }) },
    ...requestBody(operation),
    responses: { ...successes(operation), ...problems },
    security: access === 'full' ? [{ FullKey: [] }] : [{ ReadKey: [] }, { FullKey: [] }],
    'x-access': access,
    'x-codeSamples': codeSamples(operation, serverUrl),
  };
}

function requestBody({ method, body, example }: ApiOperation): Pick<ZodOpenApiOperationObject, 'requestBody'> {
  if (body === null) {
    if (method !== 'POST') return {};
    const empty = { schema: reference('schemas', 'EmptyBody'), example: {} };
    return {
      requestBody: {
        required: false,
        description: 'Not needed; an empty body and `{}` are accepted.',
        content: { 'application/json': empty },
      },
    };
  }
  const content = { schema: body, example: example.body };
  const merge = method === 'PATCH' ? { 'application/merge-patch+json': content } : {};
  return { requestBody: { required: true, content: { ...merge, 'application/json': content } } };
}

function successes(operation: ApiOperation) {
  const { status, mayCreate } = operation;
  return { [status]: success(operation, status), ...(mayCreate && { 201: success(operation, 201) }) };
}

function success(operation: ApiOperation, status: SuccessStatus) {
  const { output, produces, example } = operation;
  const own = operation.headers.filter((name) => name !== 'Location' || status === 201);
  const headers: string[] = [...own, ...COMMON_HEADERS];
  if (acceptsIdempotencyKey(operation)) headers.push('Idempotency-Replayed');
  const description = { 200: 'Done.', 201: 'Created.', 204: 'Done; no content.' }[status];
  if (output === null) return { description, headers: headerReferences(headers) };
  const content = produces.map((type) => [type, { schema: output, example: example.reply }] as const);
  return { description, headers: headerReferences(headers), content: Object.fromEntries(content) };
}

/** Describes the format of each parameter, with the example of the operation. Only the parameter has the description, not its schema. */
function describeParameters(document: OpenApiDocument, { path, method, example }: ApiOperation): void {
  const key = method.toLowerCase() as Lowercase<Method>;
  for (const parameter of document.paths?.[path]?.[key]?.parameters ?? []) {
    if (!('name' in parameter)) continue;
    const { schema } = parameter;
    const value = { ...example.params, ...example.query }[parameter.name];
    if (value !== undefined) parameter.example = value;
    if (typeof schema !== 'object' || '$ref' in schema) continue;
    if (parameter.description !== undefined) delete schema.description;
    if (parameter.in !== 'query') continue;
    // One value or a list: in a query, a list of one is just the value.
    const list = schema.anyOf?.find((one) => typeof one === 'object' && 'type' in one && one.type === 'array');
    if (list) {
      parameter.schema = list;
      if (value !== undefined) parameter.example = [value].flat();
    }
    if (list || schema.type === 'array') Object.assign(parameter, { style: 'form', explode: false });
    if (schema.type === 'object') Object.assign(parameter, { style: 'deepObject', explode: true });
  }
}

const DATE_TIME = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?Z$';
const ANY_TIME = '^\\d{4}-\\d{2}-\\d{2}[Tt]\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?([Zz]|[+-]\\d{2}:\\d{2})$';

/** Replies allow additional members, because v1 may be extended; times get a readable pattern. */
function override({ zodSchema, jsonSchema, io }: ZodOpenApiOverrideContext): void {
  if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  const { def } = zodSchema._zod;
  if (def.type === 'string' && 'format' in def && def.format === 'datetime') {
    jsonSchema.pattern = io === 'input' ? ANY_TIME : DATE_TIME;
  }
}

function isEmpty(schema: z.ZodObject): boolean {
  return Object.keys(schema.shape).length === 0;
}

function reference(kind: string, name: string): { $ref: string } {
  return { $ref: `#/components/${kind}/${name}` };
}
