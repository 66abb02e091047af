// Validates a received request: returns the typed input of an operation, or the list of all failures.
import { z } from 'zod';
import type { FieldError } from '../errors.ts';
import type { ApiOperation, InputOf, Operation } from '../operation.ts';
import { bodyErrors, MAX_ERRORS, parameterErrors } from './errors.ts';

type Members = Record<string, unknown>;
/** `list`: texts, `integers`: whole numbers, both separated by commas; `one_or_list`: a text, or a list where there is a comma; `record`: `name[key]=text`. */
export type Kind = 'integer' | 'boolean' | 'string' | 'integers' | 'list' | 'one_or_list' | 'record';

/** The received request by section. `params` and `query` are already typed (see coerceParams, coerceQuery). */
export interface Sections {
  readonly params: Readonly<Members>;
  readonly query: Readonly<Members>;
  /** The parsed JSON body; undefined without a body. */
  readonly body?: unknown;
}

export type Parsed<Input> =
  | { readonly ok: true; readonly value: Input }
  | {
      readonly ok: false;
      /** `params`: something in the path is malformed (`not_found` on the API door). `fields`: query or body only. */
      readonly where: 'params' | 'fields';
      /** Every failure of all sections, at most 100. */
      readonly errors: readonly FieldError[];
    };

/** Precomputed for each operation. */
interface Plan {
  readonly path: readonly string[];
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly pathKinds: ReadonlyMap<string, Kind>;
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  readonly hasQuery: boolean;
  readonly body: z.ZodType;
  readonly hasBody: boolean;
  /** The section of members that are not in the path, if all come in one flat record. */
  readonly rest: 'query' | 'body';
}

const NOTHING = z.strictObject({});
const NO_FIELDS: readonly FieldError[] = [];
const plans = new WeakMap<Operation, Plan>();

function getParsePlan(operation: Operation): Plan {
  const known = plans.get(operation);
  if (known !== undefined) return known;
  const plan = operation.door === 'api' ? apiPlan(operation) : panelPlan(operation.input);
  plans.set(operation, plan);
  return plan;
}

function apiPlan(operation: ApiOperation): Plan {
  const { method, params, query, body } = operation;
  return {
    path: [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? ''),
    kinds: listKinds(query),
    pathKinds: listKinds(params),
    params,
    query,
    hasQuery: Object.keys(query.shape).length > 0,
    body: body ?? NOTHING,
    hasBody: body !== null,
    rest: method === 'GET' || method === 'DELETE' ? 'query' : 'body',
  };
}

function panelPlan(input: z.ZodType): Plan {
  const none = new Map<string, Kind>();
  return {
    path: [],
    kinds: none,
    pathKinds: none,
    params: NOTHING,
    query: NOTHING,
    hasQuery: false,
    body: input,
    hasBody: true,
    rest: 'body',
  };
}

const WRAPPERS = new Set(['optional', 'nullable', 'default', 'prefault', 'nonoptional', 'readonly', 'catch']);

function listKinds(section: z.ZodObject): ReadonlyMap<string, Kind> {
  return new Map(Object.entries(section.shape).map(([name, schema]) => [name, detectKind(schema)]));
}

function detectKind(schema: z.core.$ZodType): Kind {
  let { def } = schema._zod;
  while (WRAPPERS.has(def.type) && 'innerType' in def) def = (def.innerType as z.core.$ZodType)._zod.def;
  if (def.type === 'number' || def.type === 'int') return 'integer';
  if (def.type === 'array' && 'element' in def) {
    return detectKind(def.element as z.core.$ZodType) === 'integer' ? 'integers' : 'list';
  }
  if (def.type === 'union') return 'one_or_list';
  // A record is checked for `__proto__` first, see scalars.ts.
  if (def.type === 'record' || def.type === 'pipe') return 'record';
  return def.type === 'boolean' ? 'boolean' : 'string';
}

/** Names in the path template, in order: `/users/{id}/grants/{grant_id}` has `id` and `grant_id`. */
export function pathParameters(operation: Operation): readonly string[] {
  return getParsePlan(operation).path;
}

/** The type of each path parameter. */
export function pathKinds(operation: Operation): ReadonlyMap<string, Kind> {
  return getParsePlan(operation).pathKinds;
}

/** The type of each query parameter. */
export function queryKinds(operation: Operation): ReadonlyMap<string, Kind> {
  return getParsePlan(operation).kinds;
}

/** Typed values of raw query parameters. Text of another type stays text, and fails validation. */
export function coerceQuery(operation: Operation, raw: Readonly<Record<string, string>>): Members {
  return coerce(getParsePlan(operation).kinds, raw);
}

/** Typed values of raw path parameters, by the same rules. `007` stays text: one record has one address. */
export function coerceParams(operation: Operation, raw: Readonly<Record<string, string>>): Members {
  return coerce(getParsePlan(operation).pathKinds, raw);
}

const INTEGER = /^(?:0|-?[1-9]\d{0,15})$/;

function coerce(kinds: ReadonlyMap<string, Kind>, raw: Readonly<Record<string, string>>): Members {
  const typed = emptyRecord();
  for (const name of Object.keys(raw)) {
    const text = raw[name] ?? '';
    const [, record = '', key = ''] = MEMBER.exec(name) ?? [];
    if (kinds.get(record) === 'record') addMember(typed, record, key, text);
    else typed[name] = parseText(kinds.get(name), text);
  }
  return typed;
}

const MEMBER = /^(\w+)\[(.*)\]$/s;

/** A text instead of a record stays text, and fails validation. */
function addMember(typed: Members, name: string, key: string, text: string): void {
  const members = typed[name] ?? emptyRecord();
  if (typeof members === 'object') Object.assign(members, { [key]: text });
  typed[name] = members;
}

function parseText(kind: Kind | undefined, text: string): unknown {
  switch (kind) {
    case 'integer':
      return INTEGER.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' || text === 'false' ? text === 'true' : text;
    case 'integers':
      return text.split(',').map((part) => parseText('integer', part));
    case 'list':
      return text.split(',');
    case 'one_or_list':
      return text.includes(',') ? text.split(',') : text;
    default:
      return text;
  }
}

/** A record without a prototype, so that `__proto__` is an ordinary member. */
function emptyRecord(): Members {
  return Object.create(null);
}

/**
 * Splits the flat record that the panel door receives: names of the path template are `params`; the rest is
 * `query` for GET and DELETE and `body` for the other methods. A panel-only operation only has a body. A value that is no record becomes the body, and fails validation there.
 */
export function splitInput(operation: Operation, flat: unknown): Sections {
  const plan = getParsePlan(operation);
  if (flat !== undefined && (typeof flat !== 'object' || flat === null || Array.isArray(flat))) {
    return { params: emptyRecord(), query: emptyRecord(), body: flat };
  }
  const params = emptyRecord();
  const rest = emptyRecord();
  for (const name of Object.keys(flat ?? {})) {
    (plan.path.includes(name) ? params : rest)[name] = (flat as Members)[name];
  }
  return plan.rest === 'query' ? { params, query: rest } : { params, query: emptyRecord(), body: rest };
}

/** Validates the sections and joins them to one flat record; or lists the failures of all sections. */
export function parseInput<Op extends Operation>(operation: Op, sections: Sections): Parsed<InputOf<Op>> {
  const plan = getParsePlan(operation);
  const { params, query, body } = sections;
  const path = plan.path.length > 0 || hasMembers(params) ? plan.params.safeParse(params) : undefined;
  const search = plan.hasQuery || hasMembers(query) ? plan.query.safeParse(query) : undefined;
  const content = plan.hasBody || body !== undefined ? plan.body.safeParse(body) : undefined;
  if (path?.success !== false && search?.success !== false && content?.success !== false) {
    // InputOf joins the types of the same three sections; the schemas of a plan no longer have the operation's types.
    return { ok: true, value: Object.assign({}, path?.data, search?.data, content?.data) as InputOf<Op> };
  }
  const wrongPath = path?.error ? parameterErrors(path.error.issues, params) : NO_FIELDS;
  const wrongQuery = search?.error ? parameterErrors(search.error.issues, query) : NO_FIELDS;
  const wrongBody = content?.error ? bodyErrors(content.error.issues, body) : NO_FIELDS;
  const errors = [...wrongPath, ...wrongQuery, ...wrongBody].slice(0, MAX_ERRORS);
  return { ok: false, where: wrongPath.length > 0 ? 'params' : 'fields', errors };
}

function hasMembers(record: Readonly<Members>): boolean {
  for (const _ in record) return true;
  return false;
}
