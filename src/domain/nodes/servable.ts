// Which connections of a node its engine would serve: one that it refuses must not keep the others from being served.

interface Placed {
  readonly tag: string;
  readonly port: number;
}

/** What a refusal says. Where it is about the port of one connection, it begins with that. */
interface Refusal {
  readonly message: string;
}

export interface Refused<Item, Reason> {
  readonly item: Item;
  readonly reason: Reason;
}

/** How a refusal begins that is about the port of a connection. */
export function describePort({ tag, port }: Placed): string {
  return `${tag}: port ${port}`;
}

/** The connection whose port a refusal is about; undefined: it is about something else. */
export function findNamedByPort<Item extends Placed>(items: readonly Item[], { message }: Refusal): Item | undefined {
  const [, tag, port] = /^([^:]+): port (\d+)/.exec(message) ?? [];
  return items.find((item) => item.tag === tag && item.port === Number(port));
}

/**
 * Takes away what is refused, by asking about fewer and fewer, until the others would be served together. `findRefusal`: why these would not be served;
 * null: they would. Throws a refusal that is about none of them.
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

/** The first item with which those before it are refused, by halves. */
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
