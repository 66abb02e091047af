// Setup, sign-in and sessions: the administrator's door. None of it is on the API.
import { z } from 'zod';
import { LANGUAGE_CODES } from '../../i18n/languages.ts';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';
import { PROOF_ERRORS, proof, typedCode, typedPassword } from './proof.ts';

/** The header of requests and replies of the panel door with the half of a session's token that the page stores; empty: delete it. */
export const SESSION_HEADER = 'Panel-Session';
/** The form field with it, for downloads, which cannot set headers. */
export const SESSION_FIELD = 'session';

/** The administrator's password: at least 8 characters, never truncated, of any characters. */
export const password = s.text({ min: 8, max: 256 });
const adminName = s.text({ min: 1, max: 64 });

const administrator = z.object({ name: z.string() }).meta({ id: 'Administrator' });

export const panelState = panelOperation({
  id: 'panelState',
  access: 'public',
  effect: 'read',
  tag: 'Panel',
  summary: 'Read whether there is an administrator and who is signed in',
  input: z.strictObject({}),
  output: z.object({
    version: z.string().nullable().meta({ description: "The panel's version; null until signed in." }),
    language: z.enum(LANGUAGE_CODES),
    panel_title: z.string(),
    set_up: z.boolean(),
    two_factor: z.boolean().nullable().meta({
      description:
        'Whether sign-in requires a code; null in a browser in which the administrator has not signed in before.',
    }),
    signed_in: administrator.nullable(),
    base_url: z.string().nullable().meta({ description: 'null until signed in.' }),
    command: z.string().meta({
      description: "How a terminal of the panel's machine calls its command; `panel` for strangers.",
    }),
    disk_full: z.boolean().meta({
      description: 'The disk is full: nothing can be changed until there is space again; false until signed in.',
    }),
  }),
  example: {
    body: {},
    reply: {
      version: null,
      language: 'en',
      panel_title: 'Gatehouse',
      set_up: true,
      two_factor: null,
      signed_in: null,
      base_url: null,
      command: 'panel',
      disk_full: false,
    },
  },
});

export const setUp = panelOperation({
  id: 'setUp',
  access: 'public',
  effect: 'write',
  tag: 'Panel',
  summary: 'Create the administrator with the one-time setup link',
  input: z.strictObject({
    token: z.string().max(200),
    name: adminName,
    password,
    language: z.enum(LANGUAGE_CODES).optional().meta({ description: 'The language of the panel; `en` if absent.' }),
  }),
  status: 201,
  output: administrator,
  errors: ['not_found', 'already_set_up'],
  example: { body: { token: 'k1VtXo…', name: 'admin', password: 'correct horse battery' }, reply: { name: 'admin' } },
});

export const signIn = panelOperation({
  id: 'signIn',
  access: 'public',
  effect: 'write',
  tag: 'Panel',
  summary: 'Sign in',
  description:
    'Ends the previous session of this browser. A wrong name, password or code gets the same reply after the same time.',
  input: z.strictObject({ name: z.string().max(1024), password: typedPassword, code: typedCode.optional() }),
  output: administrator,
  errors: ['sign_in_failed', 'slow_down', 'sign_in_busy'],
  example: { body: { name: 'admin', password: 'correct horse battery' }, reply: { name: 'admin' } },
});

export const signOut = panelOperation({
  id: 'signOut',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Sign out',
  input: z.strictObject({}),
  status: 204,
  output: null,
  example: { body: {} },
});

export const session = z
  .object({
    id: s.id,
    current: z.boolean(),
    address: z.string(),
    device: z.string().meta({ description: 'The name of the browser.' }),
    created_at: s.instant,
    last_seen_at: s.instant,
    ends_at: s.instant.meta({ description: 'When it ends: at its maximum age, or earlier if it stays idle.' }),
  })
  .meta({ id: 'Session' });

export const listSessions = panelOperation({
  id: 'listSessions',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'List sessions',
  input: z.strictObject({}),
  output: z.object({ items: z.array(session) }),
  example: {
    body: {},
    reply: {
      items: [
        {
          id: 1,
          current: true,
          address: '127.0.0.1',
          device: 'Firefox on Linux',
          created_at: '2026-11-20T09:00:00.000Z',
          last_seen_at: '2026-11-20T10:00:00.000Z',
          ends_at: '2026-11-20T22:00:00.000Z',
        },
      ],
    },
  },
});

export const endSession = panelOperation({
  id: 'endSession',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'End a session',
  input: z.strictObject({ ...proof, id: s.id }),
  status: 204,
  output: null,
  errors: [...PROOF_ERRORS, 'not_found'],
  example: { body: { id: 2 } },
});

export const endOtherSessions = panelOperation({
  id: 'endOtherSessions',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'End all other sessions',
  input: z.strictObject(proof),
  output: z.object({ ended: z.int().min(0) }),
  errors: PROOF_ERRORS,
  example: { body: {}, reply: { ended: 2 } },
});

const failedAttempts = z
  .object({
    count: z.int().min(0).meta({ description: 'The number of attempts, including those refused without a check.' }),
    networks: z.int().min(0).meta({ description: 'The number of networks (IPv4 address, IPv6 /64) they came from.' }),
  })
  .meta({ id: 'FailedAttempts', description: 'Failed attempts within the last hour, since the start of the panel.' });

export const getFailedAttempts = panelOperation({
  id: 'getFailedAttempts',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'Count the failed sign-ins and keys of the last hour',
  input: z.strictObject({}),
  output: z.object({ sign_ins: failedAttempts, keys: failedAttempts }),
  example: { body: {}, reply: { sign_ins: { count: 2311, networks: 3 }, keys: { count: 0, networks: 0 } } },
});
