// The format `wireguard`: the file of one connection for WireGuard's own apps.
import { DEFAULT_MTU, TUNNEL_DNS, wireguardKey } from '../domain/nodes/wireguard.ts';
import { linkHost } from './encoding.ts';
import { canShare, type Entry, perConnection, selectSecret, TUNNEL_ADDRESS } from './entry.ts';
import type { FormatWriter } from './format.ts';

export const wireguard: FormatWriter = {
  // Not text, which phones would save under a name that WireGuard does not accept.
  type: 'application/octet-stream',
  reserved: [],
  isOfOne: true,
  canCarry: (inbound) => inbound.protocol === 'wireguard' && canShare(inbound),
  write: ([entry]) => (entry === undefined ? '' : fileText(entry, selectSecret(entry))),
  fileName: ([entry]) => `${tunnelName(entry?.name ?? '')}.conf`,
};

const fileText = perConnection(
  (entry, secret) =>
    entry.inbound.protocol === 'wireguard' ? buildLines(entry, secret).join('\n') : `# ${oneLine(entry.name)}\n`,
  ({ name }) => oneLine(name),
);

function buildLines({ inbound, address }: Entry, secret: string): readonly string[] {
  return [
    '[Interface]',
    `PrivateKey = ${secret}`,
    `Address = ${TUNNEL_ADDRESS}/32`,
    `DNS = ${TUNNEL_DNS}`,
    `MTU = ${inbound.mtu ?? DEFAULT_MTU}`,
    '',
    '[Peer]',
    `PublicKey = ${wireguardKey(inbound.publicKey ?? '')}`,
    'AllowedIPs = 0.0.0.0/0, ::/0',
    `Endpoint = ${linkHost(address)}:${inbound.port}`,
    '',
  ];
}

function oneLine(text: string): string {
  return text.toWellFormed().replace(/[\p{Cc}\u2028\u2029]/gu, ' ');
}

/** The app names the tunnel by the file, and accepts only these characters, at most 15. */
function tunnelName(name: string): string {
  const safe = name
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9_=+.-]+/g, '-')
    .replace(/^[-.]+/, '')
    .slice(0, 15)
    .replace(/[-.]+$/, '');
  return safe === '' ? 'wireguard' : safe;
}
