// The entry of the server: decides by the raw URL and Host, before any decoding, what a request may reach.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../core/ports/ports.ts';
import type { SettingValues } from '../core/ports/settings.ts';
import { closeGracefully, drainAndClose } from './connections.ts';

/** The reply to every request without the secret path: always the same bytes, whatever the reason. */
export interface ConstantReply {
  /** Replies to a request. */
  send(request: IncomingMessage, response: ServerResponse): void;
  /** Replies on a connection without a readable request. */
  write(socket: Duplex): void;
}

export function createConstantReply(clock: Clock): ConstantReply {
  const date = () => new Date(clock.now()).toUTCString();
  return {
    send(request, response) {
      closeGracefully(request.socket);
      response.writeHead(404, 'Not Found', ['Content-Length', '0', 'Connection', 'close', 'Date', date()]);
      response.end();
    },
    write(socket) {
      socket.write(`HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\nDate: ${date()}\r\n\r\n`);
      drainAndClose(socket);
    },
  };
}

/** URL prefixes inside the application, replacing the secret path or the sub path. */
export const SECRET_PREFIX = '/secret';
export const LINK_PREFIX = '/link';
/** For all other requests, which take the same route as an unknown link: response times must not tell the two apart. */
export const STRAY_PREFIX = '/stray';

export interface GuardParts {
  /** Read on each request, so that a new secret path applies at once. */
  settings(): Pick<SettingValues, 'secretPath' | 'subPath'>;
  /** The paths of links of other panels, without slashes at their ends; default: none. */
  linkPaths?(): readonly string[];
  /** Names accepted in Host besides IP literals and `localhost`; lower case. */
  hosts(): ReadonlySet<string>;
  /** Gets `request.url` with the prefix instead of the first segment. */
  readonly app: (request: IncomingMessage, response: ServerResponse) => void;
}

/** Routes a request to the panel, to links, or to the unknown-link handler. `linksOnly`: the secret path is unknown to this listener. */
export function createGuard({ settings, linkPaths, hosts, app }: GuardParts, linksOnly = false) {
  const isHostAllowed = createHostCheck(hosts);
  return (request: IncomingMessage, response: ServerResponse): void => {
    const url = request.url ?? '';
    const { secretPath, subPath } = settings();
    const isAllowed = isHostAllowed(request);
    const isSecret = beginsWithSegment(url, secretPath) && !linksOnly;
    const isLink = beginsWithSegment(url, subPath);
    const linkPath = linkPaths?.().find((path) => path === '' || beginsWithSegment(url, path));
    if (isAllowed && isSecret) request.url = SECRET_PREFIX + url.slice(secretPath.length + 1);
    else if (isAllowed && isLink) request.url = LINK_PREFIX + url.slice(subPath.length + 1);
    else if (isAllowed && linkPath !== undefined) request.url = LINK_PREFIX + stripPath(url, linkPath);
    else request.url = STRAY_PREFIX + stripFirstSegment(url);
    app(request, response);
  };
}

/** The rest of a raw path after the path of links, which may be none. */
function stripPath(url: string, path: string): string {
  return path === '' ? url : url.slice(path.length + 1);
}

/** The rest of a raw path after the first segment. */
function stripFirstSegment(url: string): string {
  const slash = url.indexOf('/', 1);
  return slash < 0 ? '' : url.slice(slash);
}

const SLASH = 0x2f;
const QUESTION_MARK = 0x3f;

/**
 * Whether the first segment of a raw path equals `segment`. Compares every character, so that the time does not reveal the length of a correct
 * prefix.
 */
export function beginsWithSegment(url: string, segment: string): boolean {
  let difference = url.charCodeAt(0) ^ SLASH;
  for (let index = 0; index < segment.length; index++) {
    difference |= url.charCodeAt(index + 1) ^ segment.charCodeAt(index);
  }
  return difference === 0 && segment.length > 0 && endsSegment(url, segment.length + 1);
}

function endsSegment(url: string, end: number): boolean {
  const next = url.charCodeAt(end);
  return url.length === end || next === SLASH || next === QUESTION_MARK;
}

const FIRST_LABEL = /^[^.]+\./;
const HOST = /^(?:\[([\dA-Fa-f:.]+)\]|([^\s:[\]/@?#]+))(?::\d{1,5})?$/;

/**
 * The allow-list of the Host header, against DNS rebinding. Accepts any IP literal, `localhost` and `names`, read on each request; requires exactly
 * one Host header. `*.` matches one label, as in certificates.
 */
function createHostCheck(names: () => ReadonlySet<string>): (request: IncomingMessage) => boolean {
  // Most requests of a connection have the same Host.
  let lastHost = '';
  let lastNames: ReadonlySet<string> | null = null;
  return (request) => {
    const { host } = request.headers;
    if (host === undefined || countHeaders(request, 'host') !== 1) return false;
    const current = names();
    if (host === lastHost && current === lastNames) return true;
    if (!isHostAllowed(host, current)) return false;
    lastHost = host;
    lastNames = current;
    return true;
  };
}

export function isHostAllowed(host: string, names: ReadonlySet<string>): boolean {
  const match = HOST.exec(host);
  if (match === null) return false;
  const [, ipv6, name = ''] = match;
  if (ipv6 !== undefined) return isIPv6(ipv6);
  const lower = name.toLowerCase();
  return lower === 'localhost' || isIPv4(name) || names.has(lower) || names.has(lower.replace(FIRST_LABEL, '*.'));
}

/** The number of occurrences of a header; `name` in lower case. Node itself keeps only the first of some headers. */
export function countHeaders(request: IncomingMessage, name: string): number {
  const { rawHeaders } = request;
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const header = rawHeaders[index];
    if (header !== undefined && header.length === name.length && header.toLowerCase() === name) count += 1;
  }
  return count;
}
