// The front of the server: decides on the raw URL, before anything is decoded, which door a request may see, if any.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SettingValues } from '../core/ports/settings.ts';
import type { ConstantReply } from './constant-reply.ts';
import type { Door } from './door.ts';
import type { HostCheck } from './hosts.ts';

/** What is below the secret path. */
export interface SecretDoors {
  readonly api: Door;
  /** null: this host has no panel door on a socket. */
  readonly panel: Door | null;
}

export interface FrontParts {
  /** Looked at on each request, so that a new secret path holds from the next one on. */
  settings(): Pick<SettingValues, 'secretPath' | 'subPath'>;
  readonly isHostAllowed: HostCheck;
  readonly reply: ConstantReply;
  /** null: this listener knows links only. */
  readonly secret: SecretDoors | null;
  readonly link: Door;
}

const API = '/api/v1';
const SLASH = 0x2f;
const QUESTION_MARK = 0x3f;

export function createFront(parts: FrontParts): (request: IncomingMessage, response: ServerResponse) => void {
  const { settings, isHostAllowed, reply, secret, link } = parts;
  return (request, response) => {
    const url = request.url ?? '';
    const { secretPath, subPath } = settings();
    const isSecret = beginsWithSegment(url, secretPath) && secret !== null;
    const isLink = beginsWithSegment(url, subPath);
    if (!isHostAllowed(request)) {
      reply.send(request, response);
    } else if (isSecret) {
      const rest = url.slice(secretPath.length + 1);
      if (rest.startsWith(API) && endsSegment(rest, API.length)) secret.api(request, response, rest.slice(API.length));
      else if (secret.panel !== null) secret.panel(request, response, rest);
      else reply.send(request, response);
    } else if (isLink) {
      link(request, response, url.slice(subPath.length + 1));
    } else {
      reply.send(request, response);
    }
  };
}

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
