// The prose and the fixed parts of the OpenAPI file: how to sign in, what every call has, headers and parameters.
import { ERRORS } from '../errors.ts';
import { apiErrorCodes } from './problems.ts';
import { TRUST } from './trust.ts';

function errorTable(): string {
  const rows = apiErrorCodes().map((code) => `| ${ERRORS[code].status} | \`${code}\` | ${ERRORS[code].title} |`);
  return ['| status | code | meaning |', '|---|---|---|', ...rows].join('\n');
}

/** The description of the whole API, in Markdown. */
export function infoDescription(): string {
  return `Users, their subscription links, traffic, plans, connections, nodes and statistics of this panel, for bots, billing and monitoring.

## Keys
Every request carries \`Authorization: Bearer <API key>\`. Keys are made in the panel: Settings, Security, API. A key begins with \`pnl_\` and is shown once. A **Read** key may use GET only, and its replies contain no subscription link and no secret address; a **Full access** key may use everything here. Sign-in, sessions, keys, webhooks, the audit log, payments, the bot, certificates, updates and the panel's addresses are in the panel only.

The secret path is a part of the address. Any other path gets an empty 404 that reveals nothing.

## Trusting the panel's CA
The connection is always TLS, by a certificate of the panel's own CA until the administrator installs another. Give that CA's certificate to your client instead of disabling verification.

${TRUST}

## Requests and replies
JSON in UTF-8, at most 1 MiB. Names are snake_case, times are RFC 3339, in replies in UTC with \`Z\`, in requests with any offset, traffic is whole bytes, ids are positive integers that are never used again. Unknown fields, unknown or repeated parameters and values out of bounds are refused; nothing is clamped. HEAD works wherever GET does. Replies of more than 1 KiB are compressed by \`br\` or \`gzip\` if \`Accept-Encoding\` asks for it, except single records; with subscription links in them, lists and the result of a batch by \`gzip\` only, with random bytes added.

## Errors
\`application/problem+json\` (RFC 9457). **The code is in \`detail\`**; \`type\` carries it too. \`errors\` lists all that is wrong, and where: first the failures of form, and once there are none, those of meaning.

${errorTable()}

## Repeating a POST safely
Send \`Idempotency-Key\` (1 to 255 printable characters) with a POST. The same key with the same body (as a JSON value: the order of members does not matter) within 24 hours gets the first reply again, with \`Idempotency-Replayed: true\`, and nothing happens twice. The same key with another body is refused (\`idempotency_mismatch\`); while the first request is still running, so is the second (\`idempotency_in_flight\`). Only replies of requests that took effect are kept.

## Concurrent changes
Records that have an \`ETag\` can be changed on condition: send it back as \`If-Match\`, and the change is refused (\`precondition_failed\`) if somebody else was first.

## Paging
Lists are \`{items, total, limit, offset, next_cursor}\`. Walk by \`cursor\`, the \`next_cursor\` of the page before, or follow \`rel="next"\` of the \`Link\` header, which has it: that neither skips nor repeats while records come and go. \`offset\` is for jumping.

## Rate limits
Each key has two budgets, \`burst\` for what comes at once and \`minute\`, described by the headers \`RateLimit-Policy\` and \`RateLimit\`. Beyond either the answer is 429 with \`Retry-After\`: the seconds after which the next request is let in.

## Versions
v1 only grows: no field and no code goes away or changes its meaning. New fields, codes and event types may come, so ignore what you do not know. Anything that is to go is marked as deprecated at least 180 days before, and goes only in a v2 beside v1.`;
}

const KEY = 'An API key made in the panel: `pnl_` and 42 letters and digits (`^pnl_[0-9A-Za-z]{42}$`).';

export const SECURITY_SCHEMES = {
  ReadKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'pnl_',
    description: `${KEY} With Read access: GET only, without subscription links and secret addresses.`,
  },
  FullKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'pnl_',
    description: `${KEY} With Full access.`,
  },
} as const;

export const PARAMETERS = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description: 'Makes a repetition safe: the same key and body within 24 hours have one effect and one reply.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
    example: 'payment-4411',
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: false,
    description: 'The `ETag` that was read: refuse with `precondition_failed` if the record has changed since.',
    schema: { type: 'string', minLength: 1, maxLength: 1000 },
    example: '"7-3"',
  },
} as const;

function header(description: string, example: string | number) {
  return { description, schema: { type: typeof example === 'number' ? 'integer' : 'string' } as const, example };
}

export const HEADERS = {
  'X-Request-Id': header('Names the request in the log of the panel.', '0b6f7d0e5c2b4f5e9a3d1c8e7f60a1b2'),
  'RateLimit-Policy': header(
    'The two budgets of the key: `q` requests in `w` seconds. `burst` is what may come at once, `minute` what may come in a minute.',
    '"burst";q=100;w=5, "minute";q=1200;w=60',
  ),
  RateLimit: header(
    'What is left of each budget (`r`), and in how many seconds it is full again (`t`).',
    '"burst";r=99;t=1, "minute";r=1199;t=60',
  ),
  ETag: header('The version of the record, for `If-Match`.', '"7-3"'),
  Location: header('The address of the new record, as a path.', '/k3yW8dPq2nVtXr5sLb7mZc1f/api/v1/users/7'),
  Link: header(
    'Other pages of the list (RFC 8288), absolute: `first`, `prev`, `next` (by cursor), `last`.',
    '<https://192.168.1.10:8443/k3yW8dPq2nVtXr5sLb7mZc1f/api/v1/users?limit=100&cursor=WyItaWQiLDcsN10>; rel="next"',
  ),
  'Idempotency-Replayed': header('`true`: the reply of an earlier request with the same Idempotency-Key.', 'true'),
  'Retry-After': header('Seconds to wait: after exactly so many the next request is let in.', 1),
  'WWW-Authenticate': header('How to sign in.', 'Bearer'),
  'Accept-Patch': header('Media types of a PATCH body.', 'application/merge-patch+json, application/json'),
} as const;

/** Headers that every reply has. */
export const COMMON_HEADERS = ['X-Request-Id', 'RateLimit-Policy', 'RateLimit'] as const;
