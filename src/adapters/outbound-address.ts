// Which addresses the panel may connect to on behalf of a URL that somebody typed (server-side request forgery, CWE-918).
//
// The ranges are those of the IANA special-purpose address registries (RFC 6890). Of IPv6 only global unicast (2000::/3) is public, so
// that mapped, translated (NAT64) and site-local addresses are refused without being listed.
import { BlockList, isIP } from 'node:net';

function buildBlockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/');
    list.addSubnet(address, Number(prefix), isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}

/** The local network and this machine: allowed only with `allowPrivate`. */
const PRIVATE = buildBlockList(['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16']);
const PRIVATE_6 = buildBlockList(['::1/128', 'fc00::/7']);

/** Never allowed: this network, link-local (cloud metadata services), protocol assignments, documentation, multicast, reserved. */
const REFUSED = buildBlockList([
  '0.0.0.0/8',
  '169.254.0.0/16',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
]);
/** Cloud metadata services outside the link-local range: Azure's WireServer, Alibaba Cloud, and over IPv6 inside the private range. */
const METADATA = buildBlockList(['168.63.129.16/32', '100.100.100.200/32', 'fd00:ec2::/32', 'fd20:ce::/32']);

const GLOBAL_UNICAST = buildBlockList(['2000::/3']);

/** Whether an IP address may be connected to; `allowPrivate`: also in the local network and on this machine. */
export function isAllowedAddress(address: string, allowPrivate: boolean): boolean {
  const version = isIP(address);
  // With a zone (`fe80::1%eth0`) it is link-local.
  if (version === 0 || address.includes('%')) return false;
  const family = version === 6 ? 'ipv6' : 'ipv4';
  if (REFUSED.check(address, family) || METADATA.check(address, family)) return false;
  // Checked apart, because BlockList also finds IPv4-mapped addresses in IPv4 ranges.
  if (family === 'ipv6') return PRIVATE_6.check(address, family) ? allowPrivate : GLOBAL_UNICAST.check(address, family);
  return allowPrivate || !PRIVATE.check(address, family);
}
