// The copy of the API's description that is drawn. Examples of filters become part of the description: as values they would be sent.
import type { Output } from '../../../../../contract/table.ts';

interface Parameter {
  readonly in?: string;
  readonly required?: boolean;
  description?: string;
  example?: unknown;
  readonly schema?: { readonly description?: string; readonly type?: string };
}

interface Described {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, { readonly parameters?: readonly Parameter[] }>>>>;
}

/** `document`: OpenAPI; it is not changed. */
export function copyDescription(document: object): object {
  const copy: Described & object = structuredClone(document);
  for (const path of Object.values(copy.paths ?? {})) {
    for (const { parameters = [] } of Object.values(path)) for (const one of parameters) inWords(one);
  }
  return copy;
}

function inWords(parameter: Parameter): void {
  const { in: where, required = false, example, schema } = parameter;
  const texts = [parameter.description ?? schema?.description];
  if (where === 'query' && !required && example !== undefined) {
    texts.push(`Example: \`${String(example)}\`.`);
    delete parameter.example;
  }
  // swagger-ui would fill in, and send, made-up members.
  if (where === 'query' && schema?.type === 'object') parameter.example = {};
  const text = texts.filter((one) => one !== undefined).join(' ');
  if (text !== '') parameter.description = text;
}

// Turns the panel's result of a tried request into the Response that swagger-ui expects of a fetch.

/** Statuses that may have no body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** The path below the API's address that a URL means; null where it leads elsewhere. */
export function pathBelow(baseUrl: string, url: string): string | null {
  if (!url.startsWith(baseUrl)) return null;
  const path = url.slice(baseUrl.length);
  return path.startsWith('/') ? path : null;
}

export function responseOf({ status, headers, body }: Output<'tryApi'>): Response {
  return new Response(BODILESS.has(status) ? null : body, { status, headers });
}
