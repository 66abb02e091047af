// The entity tags that came with answers, for `ifMatch`: another's change is then refused instead of overwritten.
import type { OperationId } from '../../../contract/table.ts';

export interface Etags {
  store(id: OperationId, input: unknown, etag: string): void;
  find(id: OperationId, input: unknown): string | undefined;
}

const MAX_ETAGS = 500;

export function createEtags(): Etags {
  const etags = new Map<string, string>();
  const keyOf = (id: OperationId, input: unknown) => JSON.stringify([id, input]);
  return {
    store(id, input, etag) {
      const key = keyOf(id, input);
      etags.delete(key);
      etags.set(key, etag);
      const oldest = etags.keys().next().value;
      if (etags.size > MAX_ETAGS && oldest !== undefined) etags.delete(oldest);
    },
    find: (id, input) => etags.get(keyOf(id, input)),
  };
}
