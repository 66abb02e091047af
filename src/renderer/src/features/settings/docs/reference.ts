// Reads the OpenAPI document for the page: types, bounds and members of schemas, parameters, replies and chapters.

/** The members of an OpenAPI 3.1 schema that are used. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly uniqueItems?: boolean;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

export interface Parameter {
  readonly $ref?: string;
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

interface NamedExample {
  readonly $ref?: string;
  readonly summary?: string;
  readonly value?: unknown;
}

interface Content {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, NamedExample>>;
}

interface Reply {
  readonly $ref?: string;
  readonly description?: string;
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Readonly<Record<string, Content>>;
}

interface Header {
  readonly $ref?: string;
  readonly description?: string;
  readonly example?: unknown;
}

export interface DescribedOperation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly description?: string;
    readonly content: Readonly<Record<string, Content>>;
  };
  readonly responses: Readonly<Record<string, Reply>>;
}

export interface ApiDocument {
  readonly info: { readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: Readonly<Record<string, unknown>>;
}

/** Resolves a reference, and merges the members beside it; a node without `$ref` is returned unchanged. */
export function resolve<Node extends { readonly $ref?: string }>(document: ApiDocument, node: Node): Node {
  if (node.$ref === undefined) return node;
  const { $ref, ...siblings } = node;
  let found: unknown = document;
  for (const part of $ref.replace('#/', '').split('/')) found = (found as Record<string, unknown> | undefined)?.[part];
  return { ...(found as Node), ...siblings } as Node;
}

/** The description of a schema; for a nullable one, that of its other type if it has none itself. */
export function describeSchema(document: ApiDocument, reference: Schema): string | undefined {
  const schema = resolve(document, reference);
  const [one, ...others] = (schema.anyOf ?? schema.oneOf ?? []).filter(({ type }) => type !== 'null');
  return schema.description ?? (one !== undefined && others.length === 0 ? describeSchema(document, one) : undefined);
}

/** The type of a schema on one line, such as `integer | null`, `array of string`, `string (date-time)`. */
export function describeType(document: ApiDocument, reference: Schema): string {
  const schema = resolve(document, reference);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) return [...new Set(variants.map((one) => describeType(document, one)))].join(' | ');
  const types = [schema.type ?? 'any'].flat();
  return types.map((type) => oneType(document, schema, type)).join(' | ');
}

function oneType(document: ApiDocument, { format, items, properties, additionalProperties }: Schema, type: string) {
  if (type === 'array' && items) return `array of ${describeType(document, items)}`;
  if (type === 'string' && format) return `string (${format})`;
  if (type !== 'object' || properties || typeof additionalProperties !== 'object') return type;
  return `map of ${describeType(document, additionalProperties)}`;
}

/** The values that a schema or its items are limited to; empty if they are not an enumeration. */
export function listValues(document: ApiDocument, reference: Schema): readonly string[] {
  const schema = resolve(document, reference);
  if (schema.enum) return schema.enum.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  const inner = schema.items ?? (schema.anyOf ?? schema.oneOf)?.find((one) => listValues(document, one).length > 0);
  return inner ? listValues(document, inner) : [];
}

export interface Bound {
  readonly of: 'value' | 'length' | 'items' | 'members';
  readonly min: number | undefined;
  readonly max: number | undefined;
}

/** Bounds of a schema, without the maximum of all safe integers and minimum lengths of 0. */
export function listBounds(document: ApiDocument, reference: Schema): readonly Bound[] {
  const schema = resolve(document, reference);
  const bounds: Bound[] = [
    { of: 'value', min: schema.minimum, max: schema.maximum },
    { of: 'length', min: schema.minLength || undefined, max: schema.maxLength },
    { of: 'items', min: schema.minItems || undefined, max: schema.maxItems },
    { of: 'members', min: schema.minProperties || undefined, max: schema.maxProperties },
  ];
  return bounds
    .map(({ of, min, max }) => ({ of, min, max: max === Number.MAX_SAFE_INTEGER ? undefined : max }))
    .filter(({ min, max }) => min !== undefined || max !== undefined);
}

/** A schema's pattern if it is worth showing: not beside a format, and not one that only excludes control characters. */
export function findPattern(document: ApiDocument, reference: Schema): string | undefined {
  const { pattern, format } = resolve(document, reference);
  return format !== undefined || pattern?.includes('\\x') ? undefined : pattern;
}

export interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** A group of fields. `name` is the variant if the value is one of several kinds, else null. */
export interface Branch {
  readonly name: string | null;
  readonly fields: readonly Field[];
}

/** Fields inside a value: members of an object, or of each item of a list or map; empty for scalars. */
export function listBranches(document: ApiDocument, reference: Schema, name: string | null = null): readonly Branch[] {
  const schema = resolve(document, reference);
  const { properties, required = [], items, additionalProperties } = schema;
  if (properties) {
    const fields = Object.entries(properties).map(([key, one]) => ({
      name: key,
      schema: one,
      isRequired: required.includes(key),
    }));
    return fields.length === 0 ? [] : [{ name, fields }];
  }
  if (items) return listBranches(document, items, name);
  if (typeof additionalProperties === 'object') return listBranches(document, additionalProperties, name);
  const variants = (schema.anyOf ?? schema.oneOf ?? []).filter(({ type }) => type !== 'null');
  const isChoice = variants.length > 1;
  return variants.flatMap((one) =>
    listBranches(document, one, isChoice ? (one.$ref?.split('/').at(-1) ?? null) : name),
  );
}

/** An operation's parameters of one kind, such as `query`. */
export function listParameters(document: ApiDocument, { parameters = [] }: DescribedOperation, where: Parameter['in']) {
  return parameters.map((one) => resolve(document, one)).filter((one) => one.in === where);
}

/** The content of the first media type of a body. */
export function pickContent(content: Readonly<Record<string, Content>> | undefined): Content | undefined {
  return Object.values(content ?? {})[0];
}

export interface Success {
  readonly status: string;
  readonly description: string;
  readonly types: readonly string[];
  readonly schema: Schema | undefined;
  /** undefined: no example. */
  readonly example: unknown;
  readonly headers: readonly (Header & { readonly name: string })[];
}

export interface Failure {
  readonly status: string;
  readonly code: string;
  readonly title: string;
  readonly example: unknown;
}

export function listSuccesses(document: ApiDocument, { responses }: DescribedOperation): readonly Success[] {
  return Object.entries(responses)
    .filter(([status]) => status < '400')
    .map(([status, reference]) => {
      const { description = '', content = {}, headers = {} } = resolve(document, reference);
      return {
        status,
        description,
        types: Object.keys(content),
        schema: pickContent(content)?.schema,
        example: pickContent(content)?.example,
        headers: Object.entries(headers).map(([name, header]) => ({ name, ...resolve(document, header) })),
      };
    });
}

export function listFailures(document: ApiDocument, { responses }: DescribedOperation): readonly Failure[] {
  return Object.entries(responses)
    .filter(([status]) => status >= '400')
    .flatMap(([status, reference]) =>
      Object.entries(pickContent(resolve(document, reference).content)?.examples ?? {}).map(([code, example]) => {
        const { summary = '', value } = resolve(document, example);
        return { status, code, title: summary, example: value };
      }),
    );
}

export interface Chapter {
  /** Its name in the page's address. */
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

/** Splits the document's description, which is Markdown, into chapters: the introduction without title, then one for each heading. */
export function parseChapters({ info }: ApiDocument): readonly Chapter[] {
  return info.description.split(/^## /m).map((part, index) => {
    if (index === 0) return { id: '', title: '', text: part.trim() };
    const end = part.indexOf('\n');
    const title = part.slice(0, end).trim();
    return { id: title.toLowerCase().replace(/[^a-z0-9]+/g, '-'), title, text: part.slice(end).trim() };
  });
}
