// Classifies a host: IP literal or name, private network or public.

/** Whether an address is an IP literal, and so cannot be a server name. */
export function isIpLiteral(address: string): boolean {
  return address.includes(':') || /^\d{1,3}(\.\d{1,3}){3}$/.test(address);
}

const PRIVATE_IPV4 = /^(0|10|127|192\.168|169\.254|172\.(1[6-9]|2\d|3[01])|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./;
const PRIVATE_IPV6 = /^\[?(::1\]?$|f[cd][0-9a-f]{2}:|fe[89ab][0-9a-f]:)/i;
const PRIVATE_NAME = /(^|\.)(localhost|local|lan|internal|home\.arpa)$/i;

/** Whether an address is of a private network, or a name that only private networks resolve. */
export function isPrivateHost(address: string): boolean {
  if (address.includes(':')) return PRIVATE_IPV6.test(address);
  return isIpLiteral(address) ? PRIVATE_IPV4.test(address) : PRIVATE_NAME.test(address);
}

/** Whether an address is the loopback of the machine it is used on. */
export function isLoopbackHost(address: string): boolean {
  return /^(127\.|0\.0\.0\.0$|\[?::1?\]?$)|^(.+\.)?localhost$/i.test(address);
}
