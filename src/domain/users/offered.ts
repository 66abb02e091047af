// Which of the offered inbounds a user's link contains.

/** Selects inbounds by id (null: all). Leaves out inbounds of drained nodes, unless none would remain. */
export function selectOffered<One extends { readonly inbound: { readonly id: number }; readonly isDraining: boolean }>(
  ids: readonly number[] | null,
  offered: readonly One[],
): readonly One[] {
  const own = ids === null ? offered : offered.filter(({ inbound }) => ids.includes(inbound.id));
  const staying = own.filter(({ isDraining }) => !isDraining);
  return staying.length > 0 ? staying : own;
}
