// The machine's names and addresses: for base_url, the certificate and the Host header's allow-list.
import { hostname, type NetworkInterfaceInfo, networkInterfaces } from 'node:os';

type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>;

/** Bridges and tunnels of containers and virtual machines: the LAN seldom knows their addresses. */
const VIRTUAL =
  /^(br-|docker|veth|virbr|vmnet|vboxnet|cni|flannel|cali|podman|lxc|lxd|tun|tap|wg|utun|tailscale|zt|ppp)/i;
const PRIVATE_IPV4 = /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.)/;
const LINK_LOCAL = /^(169\.254\.|fe[89ab][0-9a-f]:)/i;

/** The address that the local network most likely knows this machine by; null without a network. IPv4 before IPv6. */
export function lanAddress(interfaces: Interfaces = networkInterfaces()): string | null {
  return rankedAddresses(interfaces)[0]?.address ?? null;
}

/** This machine's IPv4 addresses in its networks, without those of containers and tunnels; the most likely first. */
export function lanAddresses(interfaces: Interfaces = networkInterfaces()): readonly string[] {
  return rankedAddresses(interfaces)
    .filter(({ name, family }) => family === 'IPv4' && !VIRTUAL.test(name))
    .map(({ address }) => address);
}

function rankedAddresses(interfaces: Interfaces) {
  const rank = ({ name, family, address }: { name: string; family: string; address: string }) =>
    (VIRTUAL.test(name) ? 4 : 0) + (family === 'IPv4' ? 0 : 2) + (PRIVATE_IPV4.test(address) ? 0 : 1);
  return listEntries(interfaces).sort((a, b) => rank(a) - rank(b));
}

/** `localhost`, the machine's name and `<name>.local`, in lower case, without names that a certificate cannot contain. */
export function machineNames(name = hostname()): readonly string[] {
  const full = name.toLowerCase().replace(/\.$/, '');
  const [short = ''] = full.split('.');
  return [...new Set(['localhost', full, short, short && `${short}.local`])].filter(isDnsName);
}

/** Letters, digits and inner hyphens (RFC 1123 section 2.1): an underscore is legal in neither a certificate nor a URL's host. */
export function isDnsName(name: string): boolean {
  return (
    name.length <= 253 && /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i.test(name)
  );
}

function listEntries(interfaces: Interfaces) {
  return Object.entries(interfaces).flatMap(([name, infos = []]) =>
    infos
      .filter(({ internal, address }) => !internal && !LINK_LOCAL.test(address))
      .map(({ family, address }) => ({ name, family, address })),
  );
}
