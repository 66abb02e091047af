// Ready-made requests to the API: for a key that has just been made, and for each method of the documentation.
import { type CodeSample, codeSamples, curlCommand } from '../../../../../contract/openapi/samples.ts';
import { API_OPERATIONS } from '../../../../../contract/table.ts';

/** How calls find the API: its address, and whether its certificate is signed by the panel's own authority. */
export interface ApiEndpoint {
  readonly baseUrl: string;
  readonly hasOwnAuthority: boolean;
}

function needsCa({ baseUrl, hasOwnAuthority }: ApiEndpoint): boolean {
  return hasOwnAuthority && baseUrl.startsWith('https:');
}

/** A GET as a command of curl. `path`: behind the base address, as in `/users?limit=5`. `key` null: from the environment. */
export function buildCurlExample(endpoint: ApiEndpoint, path: string, key: string | null): string {
  const url = `${endpoint.baseUrl}${path}`;
  return curlCommand({ method: 'GET', url, needsCa: needsCa(endpoint), headers: [], body: undefined }, key);
}

/** The example of one method of the API by its operation id, with curl and in other languages; none for one that it does not have. */
export function exampleSamples(endpoint: ApiEndpoint, operationId: string): readonly CodeSample[] {
  const operation = API_OPERATIONS.find(({ id }) => id === operationId);
  return operation ? codeSamples(operation, endpoint.baseUrl, needsCa(endpoint)) : [];
}
