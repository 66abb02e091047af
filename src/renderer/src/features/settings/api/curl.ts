// Examples of requests to the API: for a new key, and for each method in the documentation.
import { type CodeSample, codeSamples, curlCommand } from '../../../../../contract/openapi/samples.ts';
import { API_OPERATIONS } from '../../../../../contract/table.ts';

/** The API's address, and whether its certificate is signed by the panel's own authority. */
export interface ApiEndpoint {
  readonly baseUrl: string;
  readonly hasOwnAuthority: boolean;
}

function needsCa({ baseUrl, hasOwnAuthority }: ApiEndpoint): boolean {
  return hasOwnAuthority && baseUrl.startsWith('https:');
}

/** A GET as a curl command. `path` follows the base URL, such as `/users?limit=5`. `key` null: from an environment variable. */
export function buildCurlExample(endpoint: ApiEndpoint, path: string, key: string | null): string {
  const url = `${endpoint.baseUrl}${path}`;
  return curlCommand({ method: 'GET', url, needsCa: needsCa(endpoint), headers: [], body: undefined }, key);
}

/** Examples of an API method in curl and other languages; empty if there is no operation with this id. */
export function exampleSamples(endpoint: ApiEndpoint, operationId: string): readonly CodeSample[] {
  const operation = API_OPERATIONS.find(({ id }) => id === operationId);
  return operation ? codeSamples(operation, endpoint.baseUrl, needsCa(endpoint)) : [];
}
