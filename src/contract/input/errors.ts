// Failures of a request: a path, a code and a message in English, without the value that was sent.
import type { z } from 'zod';
import type { FieldError } from '../errors.ts';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** Machine codes of a failure at one member. */
export type FieldCode = 'required' | 'unknown' | 'type' | 'too_small' | 'too_big' | 'format' | 'invalid';

/** Limits the reply to a hostile body. */
export const MAX_ERRORS = 100;

interface Failure {
  readonly path: Path;
  readonly code: FieldCode;
  readonly message: string;
}

/** Failures of path or query parameters: `parameter` names them. */
export function parameterErrors(issues: readonly Issue[], section: unknown): FieldError[] {
  return listFailures(issues, section).map(({ path, code, message }) => ({
    parameter: shorten(String(path[0] ?? '')),
    code,
    message,
  }));
}

/** Failures of a body: `pointer` is a JSON Pointer as a URI fragment (RFC 6901, section 6). */
export function bodyErrors(issues: readonly Issue[], body: unknown): FieldError[] {
  return listFailures(issues, body).map(({ path, code, message }) => ({ pointer: pointerTo(path), code, message }));
}

/** `#` and each member in turn; `~` and `/` escaped, the rest percent-encoded. */
export function pointerTo(path: Path): string {
  return path.reduce<string>((pointer, member) => {
    const name = shorten(String(member)).replaceAll('~', '~0').replaceAll('/', '~1');
    return `${pointer}/${encodeURIComponent(name)}`;
  }, '#');
}

/** Names of members come from the caller: they are truncated at a code point. */
function shorten(name: string): string {
  return (name.length > 100 ? `${name.slice(0, 99)}…` : name).toWellFormed();
}

function listFailures(issues: readonly Issue[], section: unknown): Failure[] {
  const failures = new Map<string, Failure>();
  for (const issue of issues) {
    for (const failure of explain(issue, section, [])) {
      failures.set(`${pointerTo(failure.path)} ${failureKey(failure)}`, failure);
    }
    if (failures.size >= MAX_ERRORS) break;
  }
  return [...failures.values()].slice(0, MAX_ERRORS);
}

/** An unsafe integer violates that bound and the field's own: the latter is reported. */
function failureKey({ code, message }: Failure): string {
  return code === 'too_big' || code === 'too_small' ? code : message;
}

function explain(issue: Issue, section: unknown, parent: Path): Failure[] {
  const path = [...parent, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    const keys = issue.keys.slice(0, MAX_ERRORS);
    return keys.map((key) => ({ path: [...path, key], code: 'unknown', message: 'is unknown' }));
  }
  const missing = isMissing(section, path);
  if (issue.code === 'custom') return [{ path, code: missing ? 'required' : 'invalid', message: issue.message }];
  if (missing) return [{ path, code: 'required', message: 'is required' }];
  if (issue.code === 'invalid_union') return explainUnion(issue, section, path);
  if (issue.code === 'invalid_key') {
    const [first] = issue.issues;
    return [{ path, ...(first === undefined ? describe(issue) : describe({ ...first, path: [] })) }];
  }
  return [{ path, ...describe(issue) }];
}

/** The failures of the intended alternative, if that is clear; else what all alternatives allow. */
function explainUnion(issue: z.core.$ZodIssueInvalidUnion, section: unknown, path: Path): Failure[] {
  const alternatives = issue.errors;
  const values = alternatives.flatMap(([first, ...others]) =>
    first?.code === 'invalid_value' && others.length === 0 ? first.values : [],
  );
  if (values.length >= alternatives.length) return [{ path, code: 'invalid', message: describeAllowed(values) }];
  const closest = alternatives.filter((issues) =>
    issues.every((one) => one.path.length > 0 && !isAbsent(one, section, path)),
  );
  const [only] = closest;
  if (only !== undefined && closest.length === 1) return only.flatMap((one) => explain(one, section, path));
  const [first] = alternatives[0] ?? [];
  const sameType = alternatives.every(([one]) => one?.code === 'invalid_type' && one.path.length === 0);
  if (first !== undefined && sameType) return [{ path, ...describe(first) }];
  return [{ path, code: 'invalid', message: 'must have exactly one of its allowed forms' }];
}

function isAbsent(issue: Issue, section: unknown, parent: Path): boolean {
  return isMissing(section, [...parent, ...issue.path]);
}

function isMissing(section: unknown, path: Path): boolean {
  let value = section;
  for (const member of path) {
    if (typeof value !== 'object' || value === null) return false;
    value = Object.hasOwn(value, member) ? Reflect.get(value, member) : undefined;
  }
  return value === undefined;
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'must be text',
  number: 'must be a whole number',
  int: 'must be a whole number',
  boolean: 'must be true or false',
  array: 'must be a list',
  object: 'must be an object',
  null: 'must be null',
};

const FORMATS: Readonly<Record<string, string>> = {
  datetime: 'must be a time as in 2026-12-20T21:00:00Z or 2026-12-21T00:00:00+03:00 (RFC 3339; in an address + is %2B)',
  url: 'must be a URL',
};

function describe(issue: Issue): Pick<Failure, 'code' | 'message'> {
  switch (issue.code) {
    case 'invalid_type':
      return { code: 'type', message: TYPES[issue.expected] ?? 'has the wrong type' };
    case 'invalid_format':
      return { code: 'format', message: FORMATS[issue.format] ?? ownWords(issue.message) };
    case 'too_small':
      return { code: 'too_small', message: describeBound(issue.origin, 'at least', issue.minimum) };
    case 'too_big':
      return { code: 'too_big', message: describeBound(issue.origin, 'at most', issue.maximum) };
    case 'invalid_value':
      return { code: 'invalid', message: describeAllowed(issue.values) };
    default:
      return { code: 'invalid', message: 'is not valid' };
  }
}

/** The schema's message for its pattern; zod's own would show the pattern. */
function ownWords(message: string): string {
  return message.startsWith('must ') ? message : 'has the wrong form';
}

function describeBound(origin: string, most: string, amount: number | bigint): string {
  if (origin === 'string') return `must have ${most} ${amount} ${amount === 1 ? 'character' : 'characters'}`;
  if (origin === 'array') return `must have ${most} ${amount} ${amount === 1 ? 'item' : 'items'}`;
  return `must be ${most} ${amount}`;
}

function describeAllowed(values: readonly z.core.util.Primitive[]): string {
  return values.length === 1 ? `must be ${String(values[0])}` : `must be one of ${values.map(String).join(', ')}`;
}
