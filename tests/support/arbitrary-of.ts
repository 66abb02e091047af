// Makes random values of a contract's schema, so that a fuzzer needs no list of its own to keep up with the table.
import fc from 'fast-check';
import type { z } from 'zod';
import * as zod from 'zod';

type Schema = z.core.$ZodType;
type Arbitrary = fc.Arbitrary<unknown>;
interface Bounds {
  min?: number;
  max?: number;
  pattern?: RegExp;
}

/** Letters of several scripts, marks, emoji, quotes and signs that mean something elsewhere. */
const UNIT = fc.constantFrom(...'abcXYZ019 _-.@%&<>\'"\\/;:#?ёПр中文عא\u0301\u200d🇩🇪🚀');
const HOSTS = ['example.org', 'a', '10.0.0.1', '2001:db8::1', 'xn--e1afmkfd.example', 'пример.example'];
const DECADES = { min: new Date('1960-01-01'), max: new Date('2110-01-01') };

/**
 * Values that mostly meet the schema; rules that only the core judges (which plan exists) they meet by chance. Ids are mostly
 * small, so that they often name a record. Throws on a kind of schema that no request has had so far.
 */
export function buildArbitrary(schema: Schema): Arbitrary {
  const { def } = schema._zod;
  switch (def.type) {
    case 'object':
      return buildObject(schema as z.ZodObject);
    case 'string':
      return generateText(schema);
    case 'number':
    case 'int':
      return buildInteger(computeBounds(schema));
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'enum':
      return fc.constantFrom(...Object.values((schema as z.ZodEnum)._zod.def.entries));
    case 'literal':
      return fc.constantFrom(...(schema as z.ZodLiteral)._zod.def.values);
    case 'array':
      return generateList(schema as z.ZodArray);
    case 'record':
      return buildRecord(schema as z.ZodRecord);
    case 'pipe':
      // A record after its check for `__proto__`.
      return buildArbitrary((schema as z.ZodPipe)._zod.def.out);
    case 'union':
      return fc.oneof(...(schema as z.ZodUnion)._zod.def.options.map(buildArbitrary));
    case 'nullable':
      return fc.oneof({ arbitrary: buildInner(schema), weight: 3 }, { arbitrary: fc.constant(null), weight: 1 });
    case 'optional':
    case 'default':
      return buildInner(schema);
    default:
      throw new Error(`no arbitrary for schemas of the type ${def.type}`);
  }
}

function buildInner(schema: Schema): Arbitrary {
  return buildArbitrary((schema as z.ZodOptional)._zod.def.innerType);
}

function buildObject(schema: z.ZodObject): Arbitrary {
  const { shape } = schema;
  const members = Object.fromEntries(Object.entries(shape).map(([name, member]) => [name, buildArbitrary(member)]));
  const isRequired = (name: string) => !zod.safeParse(shape[name] as Schema, undefined).success;
  const requiredKeys = Object.keys(shape).filter(isRequired);
  const record = fc.record(members, { requiredKeys });
  const hasRules = (schema._zod.def.checks ?? []).length > 0;
  if (!hasRules) return record;
  // Rules between members: those that meet them, and now and then any.
  const fitting = record
    .map((value) => withoutFaults(schema, value))
    .filter((value) => zod.safeParse(schema, value).success);
  return fc.oneof({ arbitrary: fitting, weight: 9 }, { arbitrary: record, weight: 1 });
}

/** Without the members that do not go with the others: by chance alone, a record with many optional members hardly ever fits. */
function withoutFaults(schema: z.ZodObject, value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { error } = zod.safeParse(schema, value);
  const faults = new Set((error?.issues ?? []).map(({ path }) => path[0]));
  return Object.fromEntries(Object.entries(value).filter(([name]) => !faults.has(name)));
}

function buildRecord(schema: z.ZodRecord): Arbitrary {
  const { keyType, valueType } = schema._zod.def;
  const { maxProperties = 20 } = zod.globalRegistry.get(schema) ?? {};
  const key = buildArbitrary(keyType) as fc.Arbitrary<string>;
  return fc.dictionary(key, buildArbitrary(valueType), {
    maxKeys: Math.min(Number(maxProperties), 4),
    noNullPrototype: true,
  });
}

function generateList(schema: z.ZodArray): Arbitrary {
  const { max = 30 } = computeBounds(schema);
  const item = buildArbitrary(schema._zod.def.element);
  return fc.uniqueArray(item, { maxLength: Math.min(max, 6), comparator: 'SameValue' });
}

/** The bounds that checks and documentation tell. */
function computeBounds(schema: Schema): Bounds {
  const bounds: Bounds = {};
  const { minLength, maxLength } = zod.globalRegistry.get(schema) ?? {};
  if (typeof minLength === 'number') bounds.min = minLength;
  if (typeof maxLength === 'number') bounds.max = maxLength;
  for (const { _zod } of schema._zod.def.checks ?? []) {
    const { check, value, minimum, maximum, pattern } = _zod.def as typeof _zod.def & Record<string, unknown>;
    if (check === 'greater_than') bounds.min = Number(value);
    if (check === 'less_than') bounds.max = Number(value);
    if (typeof minimum === 'number') bounds.min = minimum;
    if (typeof maximum === 'number') bounds.max = maximum;
    if (pattern instanceof RegExp) bounds.pattern = pattern;
  }
  return bounds;
}

function buildInteger({ min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER }: Bounds): Arbitrary {
  const small = fc.integer({ min, max: Math.min(max, min + 40) });
  const edges = fc.constantFrom(min, max);
  return fc.oneof({ arbitrary: small, weight: 6 }, { arbitrary: fc.integer({ min, max }), weight: 1 }, edges);
}

/** RFC 3339 with an offset of so many minutes. */
function withOffset(at: Date, minutes: number): string {
  if (minutes === 0) return at.toISOString();
  const two = (value: number) => String(Math.floor(Math.abs(value))).padStart(2, '0');
  const local = new Date(at.getTime() + minutes * 60_000).toISOString().slice(0, -1);
  return `${local}${minutes < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
}

function generateText(schema: Schema): Arbitrary {
  const def = schema._zod.def as { format?: string };
  if (def.format === 'datetime') {
    const date = fc.date({ ...DECADES, noInvalidDate: true });
    // A time in a request is judged by a function, and may have any offset.
    if (!('fn' in def)) return date.map((at) => at.toISOString());
    const minutes = fc.constantFrom(0, 0, 180, -690);
    return fc.tuple(date, minutes).map(([at, offset]) => withOffset(at, offset));
  }
  const { min = 0, max = 60, pattern } = computeBounds(schema);
  if (pattern?.source.includes('\\p{')) return fc.constantFrom(...HOSTS);
  // A long text repeats a short one.
  if (pattern && min > 80)
    return fc.stringMatching(pattern, { maxLength: 80 }).map((text) => text.repeat(min).slice(0, min));
  if (pattern) return fc.stringMatching(pattern, { maxLength: Math.min(max, 80) });
  const short = fc.string({ unit: UNIT, minLength: min, maxLength: Math.min(max, Math.max(min, 12)) });
  const long = fc.string({ unit: UNIT, minLength: Math.max(min, max - 2), maxLength: max });
  return fc.oneof({ arbitrary: short, weight: 12 }, { arbitrary: long, weight: 1 });
}
