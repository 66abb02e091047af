// Finds methods by what a person would type: a part of the path, the method's name or a word of its summary.
import type { SwaggerList, SwaggerMap } from 'swagger-ui-dist/swagger-ui-es-bundle.js';

/** What is searched of one method. */
export interface Described {
  readonly method: string;
  readonly path: string;
  readonly id: string;
  readonly summary: string;
}

/** Whether every word of a text is somewhere in the method's description. */
export function isMatching({ method, path, id, summary }: Described, text: string): boolean {
  const where = `${method} ${path} ${id} ${summary}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => where.includes(word));
}

/** Replaces swagger-ui's own filter, which searches the tags only. */
export function filterOperations(tagged: SwaggerList<SwaggerMap>, text: string): SwaggerList<SwaggerMap> {
  return tagged
    .map((tag) =>
      tag.set(
        'operations',
        (tag.get('operations') as SwaggerList<SwaggerMap>).filter((one) => isMatching(describe(one), text)),
      ),
    )
    .filter((tag) => (tag.get('operations') as SwaggerList<SwaggerMap>).size > 0);
}

function describe(operation: SwaggerMap): Described {
  const text = (path: readonly string[]) => String(operation.getIn(path) ?? '');
  return {
    method: text(['method']),
    path: text(['path']),
    id: text(['operation', 'operationId']),
    summary: text(['operation', 'summary']),
  };
}
