// The front of the server: decides on the raw URL and Host, before anything is decoded, what a request may reach, if anything.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../core/ports/ports.ts';
import type { SettingValues } from '../core/ports/settings.ts';
import { closeGracefully, drainAndClose } from './connections.ts';

/** The one reply to everything that does not know the secret path: always the same bytes, whatever was wrong. */
export interface ConstantReply {
  /** Answers a request. */
  send(request: IncomingMessage, response: ServerResponse): void;
  /** Answers a connection on which no request could be read. */
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

/** Where the guard sends a request on: the URL's prefix in the application, in the place of the secret path or the sub path. */
export const SECRET_PREFIX = '/secret';
export const LINK_PREFIX = '/link';
/** For everything else, so that it takes the same way as a link that leads nowhere: the time of a reply must not tell the two apart. */
export const STRAY_PREFIX = '/stray';

export interface GuardParts {
  /** Read on each request, so that a new secret path holds from the next one on. */
  settings(): Pick<SettingValues, 'secretPath' | 'subPath'>;
  /** Names accepted in Host besides IP literals and `localhost`; lower case. */
  hosts(): ReadonlySet<string>;
  /** Gets `request.url` with the prefix in the place of the first segment. */
  readonly app: (request: IncomingMessage, response: ServerResponse) => void;
}

/** Passes a request on: to the panel, to the links, or as one that leads nowhere. `linksOnly`: the secret path is unknown to this listener. */
export function createGuard({ settings, hosts, app }: GuardParts, linksOnly = false) {
  const isHostAllowed = createHostCheck(hosts);
  return (request: IncomingMessage, response: ServerResponse): void => {
    const url = request.url ?? '';
    const { secretPath, subPath } = settings();
    const isAllowed = isHostAllowed(request);
    const isSecret = beginsWithSegment(url, secretPath) && !linksOnly;
    const isLink = beginsWithSegment(url, subPath);
    if (isAllowed && isSecret) request.url = SECRET_PREFIX + url.slice(secretPath.length + 1);
    else if (isAllowed && isLink) request.url = LINK_PREFIX + url.slice(subPath.length + 1);
    else request.url = STRAY_PREFIX + stripFirstSegment(url);
    app(request, response);
  };
}

/** What is behind the first segment of a raw path. */
function stripFirstSegment(url: string): string {
  const slash = url.indexOf('/', 1);
  return slash < 0 ? '' : url.slice(slash);
}

const SLASH = 0x2f;
const QUESTION_MARK = 0x3f;

/**
 * Whether the first segment of a raw path is `segment`, letter for letter. Every character is compared, so that the time
 * says nothing about how much of it was right.
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
 * The Host header's allow-list: a page of another site must not reach the panel under its own name (DNS rebinding). Accepts
 * any IP literal, `localhost` and `names`, read on each request; exactly one Host header. A name that begins with `*.` stands for
 * one label, as in a certificate.
 */
function createHostCheck(names: () => ReadonlySet<string>): (request: IncomingMessage) => boolean {
  // Nearly every request of a connection names the same host.
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

/** How often a header stands in the request; `name` in lower case. Node itself keeps only the first of some. */
export function countHeaders(request: IncomingMessage, name: string): number {
  const { rawHeaders } = request;
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const header = rawHeaders[index];
    if (header !== undefined && header.length === name.length && header.toLowerCase() === name) count += 1;
  }
  return count;
}
