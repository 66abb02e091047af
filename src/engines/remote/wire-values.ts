// Values in messages between the panel and a node's machine; encodes messages and describes invalid ones.
//
// Request schemas have no defaults and no transforms, so that the schema accepts again what it has encoded.
import { z } from 'zod';

/** The range of ECMAScript's Date, and of times in the store. */
export const MAX_INSTANT = 8_640_000_000_000_000;

export const id = z.int().min(1);
export const bytes = z.int().min(0);
/** A number from settings: days, hours, bytes of a packet. */
export const amount = z.int().min(0).max(1_000_000);
export const instant = z.int().min(-MAX_INSTANT).max(MAX_INSTANT);
export const hexId = z.string().regex(/^[0-9a-f]{32}$/);

/** Encodes a message as JSON. Throws ZodError for one that the other end would refuse. */
export function encode<Schema extends z.ZodType>(schema: Schema, message: z.input<Schema>): string {
  return JSON.stringify(schema.parse(message));
}

const MAX_REASONS = 5;
const MAX_NAMES = 5;
/** A member's name in a schema; anything else could be a value. */
const NAME = /^\w{1,40}$/;

/** Where and how a message is invalid, without its values: `part.users.*.name: too_big`. */
export function describeIssues({ issues }: z.ZodError): string {
  const reasons = issues.map((issue) => {
    const path = issue.path.map((step) => (typeof step === 'number' ? '*' : sanitizeName(String(step)))).join('.');
    const names =
      issue.code === 'unrecognized_keys' ? ` (${issue.keys.slice(0, MAX_NAMES).map(sanitizeName).join(', ')})` : '';
    return `${path === '' ? 'message' : path}: ${issue.code}${names}`;
  });
  return [...new Set(reasons)].slice(0, MAX_REASONS).join('; ');
}

function sanitizeName(name: string): string {
  return NAME.test(name) ? name : '?';
}
