// Network prefixes of client addresses, for comparing and showing them with no more detail than tells networks apart.

export interface ClientNetwork {
  /** One location: an IPv4 address, or the /64 prefix of an IPv6 one, since one device has several addresses. */
  readonly place: string;
  /** The first 16 bits of an IPv4 address, the first 32 of an IPv6 one, for display. */
  readonly shortForm: string;
}

const IPV4 = /^(?:::ffff:)?((\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3}))$/i;
const IPV6 = /^[0-9a-f:]{2,39}$/i;
const GROUP = /^[0-9a-f]{1,4}$/i;
const GROUPS = 8;

/** Null if the text is not an address. */
export function clientNetwork(address: string): ClientNetwork | null {
  const [, place, ...bytes] = IPV4.exec(address) ?? [];
  if (place !== undefined) {
    if (bytes.some((byte) => Number(byte) > 255)) return null;
    return { place, shortForm: `${bytes[0]}.${bytes[1]}.*.*` };
  }
  const groups = parseGroups(address.split('%')[0] ?? '');
  if (groups === null) return null;
  return { place: `${groups.slice(0, 4).join(':')}::`, shortForm: `${groups[0]}:${groups[1]}:*` };
}

/** The unit of rate limits: an IPv4 address, or the /64 of an IPv6 one, since a household has the whole /64. */
export function computeNetwork(address: string): string {
  const place = clientNetwork(address)?.place ?? address;
  return place.endsWith('::') ? `${place}/64` : place;
}

/** The surrounding network, which often belongs to one owner: the /24 of an IPv4 address, the /48 of an IPv6 one. */
export function computeWiderNetwork(address: string): string {
  const place = clientNetwork(address)?.place;
  if (place === undefined) return address;
  if (!place.endsWith('::')) return place.replace(/\d+$/, '0/24');
  return `${place.split(':').slice(0, 3).join(':')}::/48`;
}

/** The eight groups of an IPv6 address, without leading zeros. */
function parseGroups(text: string): readonly string[] | null {
  const [head = '', tail, more] = text.split('::');
  if (!IPV6.test(text) || more !== undefined) return null;
  const split = (part: string) => (part === '' ? [] : part.split(':'));
  const [first, last] = [split(head), split(tail ?? '')];
  const zeros = GROUPS - first.length - last.length;
  if (tail === undefined ? zeros !== 0 : zeros < 1) return null;
  const groups = first.concat(new Array<string>(zeros).fill('0'), last);
  return groups.every((group) => GROUP.test(group))
    ? groups.map((group) => Number.parseInt(group, 16).toString(16))
    : null;
}
