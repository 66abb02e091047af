// Holds every reply of the API door against the OpenAPI document that the panel itself serves.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Answer } from './http-client.ts';

type Members = Record<string, unknown>;
type Document = { readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>> } & Members;
interface DescribedOperation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly $ref?: string }>>;
}
interface DescribedResponse {
  readonly headers?: Members;
  readonly content?: Readonly<Record<string, { readonly examples?: Members }>>;
}

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json$/;
/** Headers that a reply may lack: where there is no limit, at a first request, in a list without a next page. */
const OPTIONAL_HEADERS = new Set(['RateLimit-Policy', 'RateLimit', 'Idempotency-Replayed']);

export interface OpenApiCheck {
  /** What of a reply to an operation is not as described; empty if all is. */
  findFaults(template: string, method: string, answer: Answer): string[];
  /** What is wrong with a reply that must be a problem with one of these codes. */
  problemFaults(answer: Answer, codes: readonly string[]): string[];
  readonly document: Document;
}

/** The document with its replies closed: they may grow in later versions, but this one sends nothing that it does not describe. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, closed(value)]));
  const isRecord = copy.type === 'object' && typeof copy.properties === 'object';
  return isRecord && !('additionalProperties' in copy) ? { ...copy, additionalProperties: false } : copy;
}

function escapePointer(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
}

export function createOpenApiCheck(served: unknown): OpenApiCheck {
  const document = served as Document;
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true });
  formats.default(ajv);
  ajv.addSchema(closed(document) as Members, 'panel');
  const compiled = new Map<string, ValidateFunction>();

  function validatorAt(pointer: string): ValidateFunction {
    const known = compiled.get(pointer);
    if (known) return known;
    const made = ajv.compile({ $ref: `panel#${pointer}` });
    compiled.set(pointer, made);
    return made;
  }

  function schemaFaults(pointer: string, text: string): string[] {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return [`the body is not JSON: ${text.slice(0, 200)}`];
    }
    const validate = validatorAt(pointer);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message, params }) =>
      [`body${instancePath} ${message}`, JSON.stringify(params)].join(' '),
    );
  }

  function findResponse(template: string, method: string, status: number): [DescribedResponse, string] | null {
    const operation = document.paths[template]?.[method];
    const response = operation?.responses[status];
    if (!response) return null;
    if (response.$ref === undefined) {
      const at = ['paths', template, method, 'responses', String(status)].map(escapePointer).join('/');
      return [response as DescribedResponse, `/${at}`];
    }
    const pointer = response.$ref.slice(1);
    const target = pointer
      .slice(1)
      .split('/')
      .reduce<unknown>((node, name) => (node as Members)[name.replaceAll('~1', '/').replaceAll('~0', '~')], document);
    return [target as DescribedResponse, pointer];
  }

  function commonFaults({ status, headers, text }: Answer): string[] {
    const faults: string[] = [];
    if (status >= 500) faults.push(`status ${status}`);
    if (!/^[0-9a-f]{32}$/.test(String(headers['x-request-id']))) faults.push('no X-Request-Id');
    if (headers['cache-control'] !== 'no-store') faults.push('no Cache-Control: no-store');
    if (headers['x-content-type-options'] !== 'nosniff') faults.push('no X-Content-Type-Options');
    if (!String(headers['content-security-policy']).startsWith("default-src 'none'; ")) faults.push('no policy');
    if (headers['referrer-policy'] !== 'no-referrer') faults.push('no Referrer-Policy');
    for (const name of ['set-cookie', 'x-powered-by', 'server', 'access-control-allow-origin']) {
      if (name in headers) faults.push(`has the header ${name}`);
    }
    if (/node:internal|SQLITE|\.ts:\d+|at Object\./.test(text))
      faults.push(`tells what is inside: ${text.slice(0, 300)}`);
    return faults;
  }

  function problemFaults(answer: Answer, codes: readonly string[]): string[] {
    const { status, headers, text } = answer;
    const faults = commonFaults(answer);
    if (headers['content-type'] !== 'application/problem+json') return [...faults, `type ${headers['content-type']}`];
    faults.push(...schemaFaults('/components/schemas/Problem', text));
    const { detail, type, instance, status: told } = JSON.parse(text) as Members;
    if (!codes.includes(String(detail))) faults.push(`code ${detail}, not one of ${codes.join(', ')}`);
    if (type !== `urn:panel:problem:${detail}`) faults.push(`type ${type}`);
    if (instance !== `urn:panel:request:${headers['x-request-id']}`) faults.push(`instance ${instance}`);
    if (told !== status) faults.push(`status ${told} in the body, ${status} outside`);
    return faults;
  }

  return {
    document,
    problemFaults,
    findFaults(template, method, answer) {
      const { status, headers, text } = answer;
      const described = findResponse(template, method.toLowerCase(), status);
      if (!described) return [`status ${status} is not described: ${text.slice(0, 300)}`];
      const [response, pointer] = described;
      const type = String(headers['content-type'] ?? '').replace(/;.*/, '');
      const content = response.content?.[type];
      const absent = Object.keys(response.headers ?? {}).filter(
        (name) => !OPTIONAL_HEADERS.has(name) && !(name.toLowerCase() in headers),
      );
      const faults = absent.map((name) => `no ${name}`);
      if (!response.content) return [...faults, ...commonFaults(answer), ...(text === '' ? [] : ['has a body'])];
      if (!content) return [...faults, `type ${type} is not described`];
      if (status >= 400) return [...faults, ...problemFaults(answer, Object.keys(content.examples ?? {}))];
      const schema = `${pointer}/content/${escapePointer(type)}/schema`;
      return [...faults, ...commonFaults(answer), ...(JSON_TYPE.test(type) ? schemaFaults(schema, text) : [])];
    },
  };
}
