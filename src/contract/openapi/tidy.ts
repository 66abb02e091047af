// Gives the schemas of the finished document one style, whatever the schemas that they were made from look like.
import type { createDocument } from 'zod-openapi';

type Node = Record<string, unknown>;

/** What may stand beside a reference to a schema: the rest is said by the schema itself. */
const BESIDE_REFERENCE = new Set(['$ref', 'description', 'default', 'deprecated']);
/** Members with values of the API, which are no part of the document's structure. */
const VALUES = new Set(['example', 'examples', 'default', 'enum', 'const']);

/** Changes the document in place. */
export function tidyDocument({ paths, components = {} }: ReturnType<typeof createDocument>): void {
  visit(paths);
  visitMembers(components.schemas);
  visit(components.responses);
}

function visit(value: unknown): void {
  if (Array.isArray(value)) for (const item of value) visit(item);
  else if (isNode(value)) visitNode(value);
}

function visitNode(node: Node): void {
  if (typeof node.$ref === 'string' && node.$ref.startsWith('#/components/schemas/')) dropSiblings(node);
  joinNull(node);
  for (const [name, member] of Object.entries(node)) {
    if (name === 'properties') visitMembers(member);
    else if (!VALUES.has(name)) visit(member);
  }
}

/** Visits each member of a record whose names are names of the API, such as `examples`. */
function visitMembers(record: unknown): void {
  if (isNode(record)) for (const member of Object.values(record)) visit(member);
}

/** A description of an object that is a component comes with parts of the object: they are dropped. */
function dropSiblings(node: Node): void {
  for (const name of Object.keys(node)) if (!BESIDE_REFERENCE.has(name)) delete node[name];
}

/** Null is one more type of what has a type; beside a reference it is an alternative. */
function joinNull(node: Node): void {
  const { anyOf } = node;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return;
  const [schema, none]: unknown[] = anyOf;
  if (!isNode(schema) || !isNode(none) || none.type !== 'null' || typeof schema.type !== 'string') return;
  delete node.anyOf;
  const own = { ...node };
  Object.assign(node, schema, own, { type: [schema.type, 'null'] });
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
