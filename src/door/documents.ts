// The operations that the doors themselves answer: metrics and the OpenAPI file are documents about the panel, not records.
import type { OperationId } from '../contract/table.ts';
import type { Core } from '../core/kernel/core.ts';
import type { Metrics } from './metrics.ts';

export interface Document {
  /** The Content-Type header. */
  readonly type: string;
  readonly body: string;
}

/** By operation; `type` is the media type that was negotiated. */
export type Documents = Partial<Record<OperationId, (type: string) => Document | Promise<Document>>>;

/** `openapi` is called again whenever the panel's address has changed. */
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
