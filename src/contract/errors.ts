// The closed table of error codes of both doors.
import { z } from 'zod';

/** How often a code may be expected: where it is listed in the documentation of an operation. */
interface ErrorEntry {
  /** HTTP status, equal to `status` in the problem document. */
  readonly status: number;
  /** Constant per code, for people; programs read the code. */
  readonly title: string;
}

export const ERRORS = {
  bad_json: { status: 400, title: 'The body is not valid JSON' },
  bad_header: { status: 400, title: 'A header is malformed' },
  unauthorized: { status: 401, title: 'A valid API key is required' },
  read_only_key: { status: 403, title: 'This key may only read' },
  panel_only: { status: 403, title: 'This is possible in the panel only' },
  not_found: { status: 404, title: 'There is no such resource' },
  method_not_allowed: { status: 405, title: 'This path does not support this method' },
  not_acceptable: { status: 406, title: 'None of the accepted media types can be produced' },
  body_too_large: { status: 413, title: 'The body is larger than 1 MiB' },
  unsupported_media_type: { status: 415, title: 'The body has an unsupported media type' },
  external_id_taken: { status: 409, title: 'Another user has this external_id' },
  telegram_id_taken: { status: 409, title: 'Another user has this telegram_id' },
  term_unlimited: { status: 409, title: 'The user never expires, so there is no term to change' },
  tariff_in_use: { status: 409, title: 'The tariff still has users' },
  inbound_in_use: { status: 409, title: 'A tariff or a user still uses the inbound' },
  node_in_use: { status: 409, title: 'The node still has inbounds' },
  idempotency_in_flight: { status: 409, title: 'A request with this Idempotency-Key is still running' },
  bulk_failed: { status: 409, title: 'A user failed, so nothing was changed' },
  bulk_changed: { status: 409, title: 'The number of matching users differs from what was expected' },
  undo_over: { status: 409, title: 'This can no longer be undone' },
  webhook_disabled: { status: 409, title: 'The webhook is disabled' },
  webhook_limit: { status: 409, title: 'The maximum number of webhooks is reached' },
  view_limit: { status: 409, title: 'The maximum number of saved views is reached' },
  template_limit: { status: 409, title: 'The maximum number of templates is reached' },
  provider_limit: { status: 409, title: 'The maximum number of payment providers is reached' },
  provider_in_use: { status: 409, title: 'Orders at the payment provider have not ended' },
  selling_off: { status: 409, title: 'Selling is off' },
  order_limit: { status: 409, title: 'The user has reached the number of orders per hour' },
  order_ended: { status: 409, title: 'The order is paid or refunded already' },
  trial_taken: { status: 409, title: 'The user has had a trial, or has bought a term' },
  promo_exists: { status: 409, title: 'This promo code exists already' },
  promo_refused: { status: 409, title: 'The promo code cannot be used for this order' },
  payment_resolved: { status: 409, title: 'The payment is resolved already, or this action is not possible for it' },
  payment_recorded: { status: 409, title: 'A payment with this reference is recorded already' },
  order_unpaid: { status: 409, title: 'The order is not paid' },
  order_refunded: { status: 409, title: 'The order is refunded already' },
  address_in_use: { status: 409, title: 'Another program listens on that address' },
  backup_refused: { status: 409, title: 'The backup cannot be restored' },
  backup_failed: { status: 409, title: 'No backup was made: something in the database is damaged or not of the panel' },
  database_in_use: { status: 409, title: 'Another process has the database open: end it first' },
  place_limit: { status: 409, title: 'There are as many places of backups as there can be' },
  place_failed: { status: 409, title: 'The place of backups did not do what it was asked for' },
  import_running: { status: 409, title: 'An import is running' },
  already_set_up: { status: 409, title: 'The administrator exists already' },
  events_gone: { status: 410, title: 'Events that old are no longer stored' },
  precondition_failed: { status: 412, title: 'The record has changed since it was read' },
  validation: { status: 422, title: 'The request is not valid' },
  extend_amount: { status: 422, title: 'Exactly one of days and months is required' },
  tariff_not_found: { status: 422, title: 'There is no such active tariff' },
  inbound_not_found: { status: 422, title: 'There is no such inbound' },
  node_not_found: { status: 422, title: 'There is no such node' },
  idempotency_mismatch: { status: 422, title: 'The Idempotency-Key was used with another body' },
  rate_limited: { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'The panel failed; the request id finds the cause in its log' },
  superseded: { status: 503, title: 'Another panel has taken over these data; this one can only be read' },
  unavailable: { status: 503, title: 'The panel is not serving at the moment' },
  storage_full: { status: 507, title: 'The disk is full; only reading is possible' },
  bot_off: { status: 409, title: 'No Telegram bot is running' },
  bot_failed: { status: 422, title: 'Telegram did not accept this' },
  provider_failed: { status: 422, title: 'The payment provider did not accept this' },
  sign_in_failed: { status: 401, title: 'The name, the password or the code is wrong' },
  signed_out: { status: 401, title: 'Sign in to the panel' },
  proof_required: { status: 403, title: 'The password is required, and the code if the second factor is on' },
  wrong_password: { status: 403, title: 'The password or the code is wrong' },
  vault_unavailable: { status: 503, title: 'The secret store is locked or missing' },
  foreign_origin: { status: 403, title: "The request does not come from the panel's own pages" },
  slow_down: { status: 429, title: 'Too many failed attempts; retry later' },
  sign_in_busy: { status: 429, title: 'Too many sign-ins are waiting; retry later' },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;

/** The closed table of failures of a field: every code within `errors` of the API's problem documents. */
export const FIELD_ERRORS = {
  required: 'is missing',
  unknown: 'is an unknown field or parameter',
  type: 'has another type',
  too_small: 'is below the smallest value or length',
  too_big: 'is above the largest value or length',
  format: 'has the wrong form',
  invalid: 'is none of the values that are allowed',
  taken: 'is used by another record',
  inconsistent: 'is not allowed with the other fields',
  not_served: 'is not supported by the engine of the node',
  key_mismatch: 'does not belong to the private key',
  not_pem: 'is not PEM',
  too_many: 'has too many certificates',
  unreadable: 'cannot be read',
  encrypted: 'is protected by a passphrase',
  authority: 'begins with an authority',
  ended: 'has ended',
  not_yet: 'is not valid yet',
  no_names: 'names no address',
  weak: 'has a key that is too short',
  unsupported: 'has a kind of key that browsers do not accept',
  broken_chain: 'is not a chain',
  chain_ended: 'has a certificate that is not in force',
  unusable: 'cannot be served over TLS',
  extend_amount: 'needs exactly one of days and months',
  tariff_not_found: 'names no tariff that can be assigned',
  inbound_not_found: 'names an inbound that does not exist',
  node_not_found: 'names no node',
  not_found: 'names a user who does not exist',
  term_unlimited: 'names a user who never expires',
  too_many_tags: 'names a user who would have too many tags',
  validation: 'names a user for whom a value goes beyond its bounds',
  repeated: 'is given more than once',
  encoding: 'is not UTF-8, or not percent-encoded',
  syntax: 'is not JSON',
  duplicate: 'repeats a member of the object',
  depth: 'is nested too deeply',
  values: 'has too many values',
  incomplete: 'did not arrive completely',
} as const;

/** Further failures of the panel's own operations: in backups, addresses of webhooks and keys of providers. */
export const PANEL_FIELD_ERRORS = {
  not_a_backup: 'is not a backup of this panel',
  truncated: 'is incomplete',
  damaged: 'was changed or damaged',
  newer: 'was made by a newer version of the panel',
  foreign: 'has a database of another program',
  needs_passphrase: 'is encrypted',
  wrong_passphrase: 'cannot be decrypted with this passphrase',
  too_large: 'exceeds the disk space for uploads',
  in_use: 'is open in another process',
  unconfirmed: 'is not the fingerprint of a check of this backup',
  weak_path: 'is easily guessed',
  common_password: 'is among the passwords that are tried first',
  weak_password: 'is easily guessed',
  https_required: 'must begin with https',
  address_refused: 'leads to an address that is not allowed',
  keys_refused: 'is not known to the provider',
  no_answer: 'gets no answer of the provider',
  lacks_checkout_sessions_write: 'lacks the permission Checkout Sessions: Write',
  lacks_payment_intents_read: 'lacks the permission Payment Intents: Read',
  lacks_charges_read: 'lacks the permission Charges and Refunds: Read',
  lacks_refunds_write: 'lacks the permission Charges and Refunds: Write',
  lacks_events_read: 'lacks the permission Events: Read',
} as const;

/** Why a place of backups failed. */
const PLACE_ERRORS = {
  host_unknown: 'is not found by its name',
  connection: 'cannot be reached',
  timeout: 'does not answer in time',
  certificate: 'shows a certificate that is not trusted',
  host_key: 'shows another key than the expected one',
  place_not_found: 'is not there',
  place_full: 'has no space',
  place_mismatch: 'has stored something else',
  place_refused: 'refuses the request',
  no_secrets: 'lacks its credentials or its passphrase',
  no_chat: 'has no paired account',
  chat_too_large: 'takes 50 MB at most',
} as const;

export type PlaceErrorCode = keyof typeof PLACE_ERRORS | 'address_refused' | 'keys_refused';
export const placeErrorCodes: readonly PlaceErrorCode[] = [
  ...(Object.keys(PLACE_ERRORS) as (keyof typeof PLACE_ERRORS)[]),
  'address_refused',
  'keys_refused',
];

export type FieldErrorCode = keyof typeof PLACE_ERRORS | keyof typeof FIELD_ERRORS | keyof typeof PANEL_FIELD_ERRORS;

/** One failure within a request. */
export interface FieldError {
  /** JSON Pointer into the body as a URI fragment (RFC 6901 section 6), as in `#/name`. */
  readonly pointer?: string | undefined;
  /** Name of the query, path or header parameter. */
  readonly parameter?: string | undefined;
  readonly code: FieldErrorCode;
  readonly message: string;
}

const fieldErrorCode = z.enum(Object.keys(FIELD_ERRORS) as (keyof typeof FIELD_ERRORS)[]).meta({
  id: 'FieldErrorCode',
  description: Object.entries(FIELD_ERRORS)
    .map(([code, meaning]) => `\`${code}\`: ${meaning}.`)
    .join('\n'),
});

/** The schema of `FieldError` on the API. */
export const fieldError: z.ZodType<FieldError> = z
  .object({
    pointer: z
      .string()
      .optional()
      .meta({ description: 'JSON Pointer into the body as a URI fragment, as in `#/name`.' }),
    parameter: z.string().optional().meta({ description: 'Name of the parameter of the path, the query or a header.' }),
    code: fieldErrorCode,
    message: z.string().meta({ description: 'The message in English, for people.' }),
  })
  .meta({ id: 'FieldError', description: 'One failure within a request.' });

/** A code in a reply. The document lists the codes of the API, which are derived from the table of operations (openapi/problems.ts). */
export const problemCode = z
  .enum(Object.keys(ERRORS) as ErrorCode[])
  .meta({ override: { $ref: '#/components/schemas/ProblemCode' } });

/** Records that use another one: how many, and the first ten by their ids. */
export interface Uses {
  readonly total: number;
  readonly first: readonly { readonly id: number; readonly name: string }[];
}

/** The records that use a record, which can therefore not be deleted. Kinds that cannot use it are absent. */
export interface InUse {
  readonly users?: Uses;
  readonly tariffs?: Uses;
  /** Inbounds that share its port. */
  readonly inbounds?: Uses;
}

/** RFC 9457 problem document. `detail` has the code, as the specification requires; `type` has it as a URN. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: ErrorCode;
  readonly instance: string;
  readonly errors?: readonly FieldError[];
  /** With `tariff_in_use` and `inbound_in_use`. */
  readonly in_use?: InUse;
}

/** The problem document of one code for one request. */
export function buildProblem(
  code: ErrorCode,
  requestId: string,
  errors?: readonly FieldError[],
  inUse?: InUse,
): Problem {
  const { status, title } = ERRORS[code];
  const problem = {
    type: `urn:panel:problem:${code}`,
    title,
    status,
    detail: code,
    instance: `urn:panel:request:${requestId}`,
  };
  return {
    ...problem,
    ...(errors && errors.length > 0 && { errors }),
    ...(inUse && { in_use: inUse }),
  };
}

/** Errors of every operation of the API door, besides its own. */
export const COMMON_ERRORS = [
  'bad_header',
  'unauthorized',
  'not_acceptable',
  'validation',
  'rate_limited',
  'internal',
  'unavailable',
] as const satisfies readonly ErrorCode[];

/** Further errors of every operation that changes something. */
export const WRITE_ERRORS = ['read_only_key', 'storage_full', 'superseded'] as const satisfies readonly ErrorCode[];

/** Further errors of every operation with a body. */
export const BODY_ERRORS = [
  'bad_json',
  'body_too_large',
  'unsupported_media_type',
] as const satisfies readonly ErrorCode[];

/** Further errors of every operation with an Idempotency-Key. */
export const IDEMPOTENCY_ERRORS = [
  'idempotency_in_flight',
  'idempotency_mismatch',
] as const satisfies readonly ErrorCode[];
