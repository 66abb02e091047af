// Builds the request of "Try it": a path below the API's address from the entered parameters.
import type { Parameter } from './reference.ts';

/** Entered values by parameter name; empty ones are not sent. */
export type Typed = Readonly<Record<string, string>>;

export function requestPath(path: string, parameters: readonly Parameter[], typed: Typed): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent((typed[name] ?? '').trim()));
  const search = parameters
    .filter(({ in: where, name }) => where === 'query' && (typed[name] ?? '').trim() !== '')
    .map(({ name, schema }) => queryPart(name, schema.type === 'object', (typed[name] ?? '').trim()));
  return search.length === 0 ? filled : `${filled}?${search.join('&')}`;
}

/** A list is entered as `a,b`, one member of a map as `name=text`, which becomes `metadata[name]=text`. */
function queryPart(name: string, isMap: boolean, value: string): string {
  if (!isMap) return `${name}=${value.split(',').map(encodeURIComponent).join(',')}`;
  const [member = '', ...text] = value.split('=');
  return `${name}[${encodeURIComponent(member.trim())}]=${encodeURIComponent(text.join('=').trim())}`;
}

/** Names of required parameters that are empty. */
export function missingIn(parameters: readonly Parameter[], typed: Typed): readonly string[] {
  return parameters
    .filter(({ name, required }) => required && (typed[name] ?? '').trim() === '')
    .map(({ name }) => name);
}

/** Indents a JSON body; other bodies are unchanged. */
export function formatBody(body: string, type: string | undefined): string {
  if (!/\bjson\b/.test(type ?? '')) return body;
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
