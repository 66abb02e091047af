// Which connections of a node its engine would serve: one refused connection must not keep the others from being served.

interface Placed {
  readonly tag: string;
  readonly port: number;
}

/** The error of an engine. If it concerns the port of a connection, it begins with `describePort`. */
interface Refusal {
  readonly message: string;
}

export interface Refused<Item, Reason> {
  readonly item: Item;
  readonly reason: Reason;
}

/** The beginning of an error that concerns the port of a connection. */
export function describePort({ tag, port }: Placed): string {
  return `${tag}: port ${port}`;
}

/** The connection whose port an error names; undefined: it concerns something else. */
export function findNamedByPort<Item extends Placed>(items: readonly Item[], { message }: Refusal): Item | undefined {
  const [, tag, port] = /^([^:]+): port (\d+)/.exec(message) ?? [];
  return items.find((item) => item.tag === tag && item.port === Number(port));
}

/**
 * Removes refused items by bisection until the engine would serve the rest together. `findRefusal`: why these would not be served; null: they would.
 * Throws a refusal that concerns none of the items.
 */
export async function findServable<Item extends Placed, Reason extends Refusal>(
  all: readonly Item[],
  findRefusal: (items: readonly Item[]) => Promise<Reason | null>,
): Promise<{ readonly served: readonly Item[]; readonly refused: readonly Refused<Item, Reason>[] }> {
  const refused: Refused<Item, Reason>[] = [];
  let served = all;
  for (;;) {
    const reason = await findRefusal(served);
    if (reason === null) return { served, refused };
    const named = findNamedByPort(served, reason);
    const culprit = named ? { item: named, reason } : await findCulprit(served, reason, findRefusal);
    refused.push(culprit);
    served = served.filter((item) => item !== culprit.item);
  }
}

/** The first item with which the list up to it is refused, by bisection. */
async function findCulprit<Item, Reason>(
  items: readonly Item[],
  refusal: Reason,
  findRefusal: (items: readonly Item[]) => Promise<Reason | null>,
): Promise<Refused<Item, Reason>> {
  let reason = refusal;
  let [accepted, tooMany] = [0, items.length];
  if (items.length > 1) {
    const ofNone = await findRefusal([]);
    if (ofNone !== null) throw ofNone;
  }
  while (tooMany - accepted > 1) {
    const middle = Math.floor((accepted + tooMany) / 2);
    const found = await findRefusal(items.slice(0, middle));
    if (found === null) accepted = middle;
    else [tooMany, reason] = [middle, found];
  }
  const item = items[tooMany - 1];
  if (item === undefined) throw reason;
  return { item, reason };
}
