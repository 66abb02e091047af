// Connections to a host that somebody typed, for a client library that makes its own requests: to checked addresses, or through a typed
// proxy.
import http from 'node:http';
import https from 'node:https';
import { SocksProxyAgent } from 'socks-proxy-agent';
import { checkedLookup } from './outbound-client.ts';

/** Idle connections are closed after this time. */
const IDLE_MS = 90_000;

/** `proxy`: its URL with name and password; the proxy then looks up the host. */
export function createOutboundAgent(url: string, allowPrivate: boolean, proxy: string | null): http.Agent {
  const isTls = new URL(url).protocol === 'https:';
  const { Agent } = isTls ? https : http;
  const idle = { keepAlive: true, timeout: IDLE_MS };
  if (proxy === null) return new Agent({ ...idle, lookup: checkedLookup(allowPrivate) });
  // `socks5h` in both cases, so that the proxy looks up the name: where a proxy is needed, the machine's own DNS may be wrong.
  if (/^socks5h?:/.test(proxy)) return new SocksProxyAgent(proxy.replace(/^socks5h?:/, 'socks5h:'), idle);
  return new Agent({ ...idle, proxyEnv: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy } });
}
