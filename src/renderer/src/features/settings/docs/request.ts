// The request that "Try it" sends: a path below the API's address, made of what was typed.
import type { Parameter } from './reference.ts';

/** By the names of the parameters; what is empty is not sent. */
export type Typed = Readonly<Record<string, string>>;

export function requestPath(path: string, parameters: readonly Parameter[], typed: Typed): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent((typed[name] ?? '').trim()));
  const search = parameters
    .filter(({ in: where, name }) => where === 'query' && (typed[name] ?? '').trim() !== '')
    .map(({ name, schema }) => queryPart(name, schema.type === 'object', (typed[name] ?? '').trim()));
  return search.length === 0 ? filled : `${filled}?${search.join('&')}`;
}

/** A list is written `a,b`. Of a map one member is asked for: `name=text` becomes `metadata[name]=text`. */
function queryPart(name: string, isMap: boolean, value: string): string {
  if (!isMap) return `${name}=${value.split(',').map(encodeURIComponent).join(',')}`;
  const [member = '', ...text] = value.split('=');
  return `${name}[${encodeURIComponent(member.trim())}]=${encodeURIComponent(text.join('=').trim())}`;
}

/** The names of the parameters that have to be typed and are not. */
export function missingIn(parameters: readonly Parameter[], typed: Typed): readonly string[] {
  return parameters
    .filter(({ name, required }) => required && (typed[name] ?? '').trim() === '')
    .map(({ name }) => name);
}

/** A body as it is read: JSON with a line for each member, anything else as it came. */
export function formatBody(body: string, type: string | undefined): string {
  if (!/\bjson\b/.test(type ?? '')) return body;
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
