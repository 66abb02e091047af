// Whether a host name can resolve outside of the local network, judged by its form.

/** Top-level names without public DNS (RFC 2606, 6761, 6762, 8375, 9476; ICANN's `internal`), and those that routers assign. */
const PRIVATE =
  /\.(?:alt|corp|example|home|home\.arpa|internal|invalid|lan|local|localdomain|localhost|onion|private|test)$/;
const NAME = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

export function isPublicName(host: string): boolean {
  const name = host.toLowerCase();
  return name.length <= 253 && NAME.test(name) && !PRIVATE.test(name);
}

/** Whether a certificate with these names covers this host; `*.` matches one label. */
export function coversName(names: readonly string[], host: string): boolean {
  const name = host.toLowerCase();
  const wildcard = name.replace(/^[^.]+/, '*');
  return names.some((one) => one.toLowerCase() === name || one.toLowerCase() === wildcard);
}
