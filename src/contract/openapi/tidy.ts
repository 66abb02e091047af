// Normalizes the style of the schemas in the finished document.
import type { createDocument } from 'zod-openapi';

type Node = Record<string, unknown>;

/** Members allowed beside a reference; the schema itself has the rest. */
const BESIDE_REFERENCE = new Set(['$ref', 'description', 'default', 'deprecated']);
/** Members that contain values of the API, not structure of the document. */
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

/** Drops the copied parts of an object beside the reference to its component. */
function dropSiblings(node: Node): void {
  for (const name of Object.keys(node)) if (!BESIDE_REFERENCE.has(name)) delete node[name];
}

/** Null is an additional type of a schema with a type; beside a reference it is an alternative. */
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
