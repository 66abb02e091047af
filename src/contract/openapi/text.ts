// The prose and the fixed parts of the OpenAPI file: authentication, common headers and parameters.
import { ERRORS } from '../errors.ts';
import { apiErrorCodes } from './problems.ts';
import { TRUST } from './trust.ts';

function errorTable(): string {
  const rows = apiErrorCodes().map((code) => `| ${ERRORS[code].status} | \`${code}\` | ${ERRORS[code].title} |`);
  return ['| status | code | meaning |', '|---|---|---|', ...rows].join('\n');
}

/** The description of the whole API, in Markdown. */
export function infoDescription(): string {
  return `Users, their subscription links, traffic, tariffs, inbounds, nodes and statistics of this panel, for bots, billing and monitoring.

## Keys
Every request carries \`Authorization: Bearer <API key>\`. Keys are created in the panel: Settings, Security, API. A key begins with \`pnl_\` and is shown once. A **Read** key may use GET only, and its replies contain no subscription link and no secret address; a **Full access** key may use everything here. Sign-in, sessions, keys, webhooks, the audit log, payments, the bot, certificates, updates and the panel's addresses are in the panel only.

The secret path is a part of the address. Any other path gets the same empty 404.

## Trusting the panel's CA
Connections always use TLS, with a certificate of the panel's own CA until the administrator installs another. Add that CA to your client instead of disabling verification.

${TRUST}

## Requests and replies
JSON in UTF-8, at most 1 MiB. Names are snake_case, times are RFC 3339, in replies in UTC with \`Z\`, in requests with any offset, traffic is whole bytes, ids are positive integers that are never used again. Unknown fields, unknown or repeated parameters and values out of bounds are refused; nothing is clamped. HEAD works like GET. Replies of more than 1 KiB are compressed by \`br\` or \`gzip\` if \`Accept-Encoding\` asks for it, except single records; lists and results of a batch that contain subscription links by \`gzip\` only, with random bytes added.

## Errors
\`application/problem+json\` (RFC 9457). **The code is in \`detail\`**; \`type\` carries it too. \`errors\` lists every failure and its place: failures of form first, and if there are none, those of meaning.

${errorTable()}

## Repeating a POST safely
Send \`Idempotency-Key\` (1 to 255 printable characters) with a POST. The same key with the same body (as a JSON value: the order of members does not matter) within 24 hours gets the first reply again, with \`Idempotency-Replayed: true\`, and has no second effect. The same key with another body is refused (\`idempotency_mismatch\`); while the first request is still running, so is the second (\`idempotency_in_flight\`). Only replies of requests with an effect are stored.

## Concurrent changes
Records with an \`ETag\` can be changed conditionally: send it as \`If-Match\`, and the change is refused (\`precondition_failed\`) if the record has changed since.

## Paging
Lists are \`{items, total, limit, offset, next_cursor}\`. To read all pages, pass \`next_cursor\` of the previous page as \`cursor\`, or follow \`rel="next"\` of the \`Link\` header: this neither skips nor repeats records while the list changes. \`offset\` jumps to a page.

## Rate limits
Each key has two budgets, \`burst\` for requests at once and \`minute\`, described by the headers \`RateLimit-Policy\` and \`RateLimit\`. Beyond either the reply is 429 with \`Retry-After\`: the seconds after which the next request is accepted.

## Versions
v1 is only extended: no field and no code is removed or changes its meaning. New fields, codes and event types may be added: ignore unknown ones. Anything to be removed is marked as deprecated at least 180 days before, and removed only in a v2 beside v1.`;
}

const KEY = 'An API key created in the panel: `pnl_` and 42 letters and digits (`^pnl_[0-9A-Za-z]{42}$`).';

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
    description: 'Makes retries safe: the same key and body within 24 hours have one effect and one reply.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
    example: 'payment-4411',
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: false,
    description:
      'The `ETag` of the record when it was read: the request is refused with `precondition_failed` if the record has changed since.',
    schema: { type: 'string', minLength: 1, maxLength: 1000 },
    example: '"7-3"',
  },
} as const;

function header(description: string, example: string | number) {
  return { description, schema: { type: typeof example === 'number' ? 'integer' : 'string' } as const, example };
}

export const HEADERS = {
  'X-Request-Id': header('The id of the request in the log of the panel.', '0b6f7d0e5c2b4f5e9a3d1c8e7f60a1b2'),
  'RateLimit-Policy': header(
    'The two budgets of the key: `q` requests in `w` seconds. `burst` limits requests at once, `minute` requests in a minute.',
    '"burst";q=100;w=5, "minute";q=1200;w=60',
  ),
  RateLimit: header(
    'The rest of each budget (`r`), and the seconds until it is full again (`t`).',
    '"burst";r=99;t=1, "minute";r=1199;t=60',
  ),
  ETag: header('The version of the record, for `If-Match`.', '"7-3"'),
  Location: header('The address of the new record, as a path.', '/k3yW8dPq2nVtXr5sLb7mZc1f/api/v1/users/7'),
  Link: header(
    'Other pages of the list (RFC 8288), absolute: `first`, `prev`, `next` (by cursor), `last`.',
    '<https://192.168.1.10:8443/k3yW8dPq2nVtXr5sLb7mZc1f/api/v1/users?limit=100&cursor=WyItaWQiLDcsN10>; rel="next"',
  ),
  'Idempotency-Replayed': header('`true`: the reply of an earlier request with the same Idempotency-Key.', 'true'),
  'Retry-After': header('The seconds after which the next request is accepted.', 1),
  'WWW-Authenticate': header('How to authenticate.', 'Bearer'),
  'Accept-Patch': header('Media types of a PATCH body.', 'application/merge-patch+json, application/json'),
} as const;

/** Headers of every reply. */
export const COMMON_HEADERS = ['X-Request-Id', 'RateLimit-Policy', 'RateLimit'] as const;
