// Ready-made curl commands: for a key that has just been made, and for each method of the documentation.
import { CA_FILE, type CodeSample, codeSamples, shellQuote } from '../../../../../contract/openapi/samples.ts';
import type { Example, Method } from '../../../../../contract/operation.ts';
import { API_OPERATIONS } from '../../../../../contract/table.ts';

/** How calls find the API: its address, and whether its certificate is signed by the panel's own authority. */
export interface ApiEndpoint {
  readonly baseUrl: string;
  readonly hasOwnAuthority: boolean;
}

/** A placeholder for the key, so that no copied command contains one. */
const KEY_VARIABLE = '"Authorization: Bearer $PANEL_KEY"';

export interface Call {
  readonly method: Method;
  /** Behind the base address: `/users?limit=5`. */
  readonly path: string;
  /** null: from the environment. */
  readonly key: string | null;
  /** JSON. */
  readonly body?: string | undefined;
}

/** A command of curl, a part to each line. */
export function curlOf({ baseUrl, hasOwnAuthority }: ApiEndpoint, { method, path, key, body }: Call): string {
  const parts = [
    method === 'GET' ? 'curl' : `curl -X ${method}`,
    ...(hasOwnAuthority && baseUrl.startsWith('https:') ? [`--cacert ${CA_FILE}`] : []),
    `-H ${key === null ? KEY_VARIABLE : shellQuote(`Authorization: Bearer ${key}`)}`,
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${shellQuote(body)}`]),
    shellQuote(`${baseUrl}${path}`),
  ];
  return parts.join(' \\\n  ');
}

/** The example of one method of the API by its operation id; null for one that it does not have. */
export function exampleCurl(endpoint: ApiEndpoint, operationId: string): string | null {
  const operation = API_OPERATIONS.find(({ id }) => id === operationId);
  if (operation === undefined) return null;
  const { method, path, example } = operation;
  const body = example.body === undefined ? undefined : JSON.stringify(example.body);
  return curlOf(endpoint, { method, path: fillIn(path, example), key: null, body });
}

/** The same request in other languages. */
export function exampleSamples({ baseUrl, hasOwnAuthority }: ApiEndpoint, operationId: string): readonly CodeSample[] {
  const operation = API_OPERATIONS.find(({ id }) => id === operationId);
  if (operation === undefined) return [];
  const samples = codeSamples(operation, baseUrl, hasOwnAuthority && baseUrl.startsWith('https:'));
  return samples.filter(({ lang }) => lang !== 'Shell');
}

function fillIn(template: string, { params = {}, query = {} }: Example): string {
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name] ?? 1)));
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  return search.size > 0 ? `${path}?${search}` : path;
}
