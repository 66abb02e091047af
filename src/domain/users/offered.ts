// Which of the inbounds on offer a link shows to a user.

/** Of what is offered, by id (null: all). Those of nodes that are drained are left out, unless the user would be left with none. */
export function selectOffered<One extends { readonly inbound: { readonly id: number }; readonly isDraining: boolean }>(
  ids: readonly number[] | null,
  offered: readonly One[],
): readonly One[] {
  const own = ids === null ? offered : offered.filter(({ inbound }) => ids.includes(inbound.id));
  const staying = own.filter(({ isDraining }) => !isDraining);
  return staying.length > 0 ? staying : own;
}
