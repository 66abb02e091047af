// Connections to a host that somebody typed, for a client that makes its requests itself: to checked addresses, or by a proxy that was typed too.
import http from 'node:http';
import https from 'node:https';
import { SocksProxyAgent } from 'socks-proxy-agent';
import { checkedLookup } from './outbound-client.ts';

/** Idle connections are closed after so long. */
const IDLE_MS = 90_000;

/** `proxy`: its URL with name and password; the host is looked up by the proxy then. */
export function createOutboundAgent(url: string, allowPrivate: boolean, proxy: string | null): http.Agent {
  const isTls = new URL(url).protocol === 'https:';
  const { Agent } = isTls ? https : http;
  const idle = { keepAlive: true, timeout: IDLE_MS };
  if (proxy === null) return new Agent({ ...idle, lookup: checkedLookup(allowPrivate) });
  // The proxy looks the name up in both spellings: where it is used, the machine's own answer may be wrong.
  if (/^socks5h?:/.test(proxy)) return new SocksProxyAgent(proxy.replace(/^socks5h?:/, 'socks5h:'), idle);
  return new Agent({ ...idle, proxyEnv: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy } });
}
