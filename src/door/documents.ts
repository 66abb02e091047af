// Operations that the doors handle themselves: metrics and the OpenAPI document.
import type { OperationId } from '../contract/table.ts';
import type { Core } from '../core/kernel/core.ts';
import type { Metrics } from './metrics.ts';

export interface Document {
  /** The Content-Type header. */
  readonly type: string;
  readonly body: string;
}

/** By operation; `type` is the negotiated media type. */
export type Documents = Partial<Record<OperationId, (type: string) => Document | Promise<Document>>>;

/** `openapi` is called again after a change of the panel's address. */
export function createDocuments(core: Pick<Core, 'baseUrl'>, metrics: Metrics, openapi: () => object): Documents {
  let address = '';
  let file: Document = { type: 'application/json', body: '' };
  return {
    getMetrics: (type) => metrics.read(type === 'application/openmetrics-text'),
    getOpenApi: () => {
      const current = core.baseUrl();
      if (current !== address) {
        file = { type: 'application/json', body: JSON.stringify(openapi()) };
        address = current;
      }
      return file;
    },
  };
}
