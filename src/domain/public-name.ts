// Whether a host name can be known outside of this network, as far as its form says.

/** Top-level names that no public name server answers for (RFC 2606, 6761, 6762, 8375, 9476; ICANN's `internal`), and what routers hand out. */
const PRIVATE =
  /\.(?:alt|corp|example|home|home\.arpa|internal|invalid|lan|local|localdomain|localhost|onion|private|test)$/;
const NAME = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

export function isPublicName(host: string): boolean {
  const name = host.toLowerCase();
  return name.length <= 253 && NAME.test(name) && !PRIVATE.test(name);
}

/** Whether a certificate with these names is one of this host; `*.` stands for one label. */
export function coversName(names: readonly string[], host: string): boolean {
  const name = host.toLowerCase();
  const wildcard = name.replace(/^[^.]+/, '*');
  return names.some((one) => one.toLowerCase() === name || one.toLowerCase() === wildcard);
}
