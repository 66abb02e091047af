// What was done to a user, as the audit log has it.
import { type ReadOptions, useOperation } from '../../../data/use-operation.ts';

/** A first look; more on request. */
export const FIRST = 20;

export function useHistory(id: number, options: ReadOptions & { readonly limit?: number } = {}) {
  const { limit = FIRST, ...read } = options;
  return useOperation('listAudit', { target: `user:${id}`, limit }, { keep: true, ...read });
}
