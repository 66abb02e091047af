// Gives the schemas of the finished document one style, whatever the schemas that they were made from look like.
import type { OpenApiDocument } from './openapi.ts';

type Node = Record<string, unknown>;

/** What may stand beside a reference to a schema: the rest is said by the schema itself. */
const BESIDE_REFERENCE = new Set(['$ref', 'description', 'default', 'deprecated']);
/** Members with values of the API, which are no part of the document's structure. */
const VALUES = new Set(['example', 'examples', 'default', 'enum', 'const', 'value']);

/** Changes the document in place. */
export function tidyDocument(document: OpenApiDocument): void {
  visit(document);
}

function visit(value: unknown): void {
  if (Array.isArray(value)) for (const item of value) visit(item);
  else if (isNode(value)) visitNode(value);
}

function visitNode(node: Node): void {
  if (typeof node.$ref === 'string' && node.$ref.startsWith('#/components/schemas/')) dropSiblings(node);
  for (const [name, member] of Object.entries(node)) if (!VALUES.has(name)) visit(member);
}

/** A description of an object that is a component comes with parts of the object: they are dropped. */
function dropSiblings(node: Node): void {
  for (const name of Object.keys(node)) if (!BESIDE_REFERENCE.has(name)) delete node[name];
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
