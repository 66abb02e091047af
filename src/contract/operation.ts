// The definition of an operation: validation, types, routes, documentation, client and tests are derived from it.
import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** `read`: any key. `full`: Full access only. */
export type Access = 'read' | 'full';
export type Effect = 'read' | 'write';
export type SuccessStatus = 200 | 201 | 204;

export const TAGS = {
  Users: 'Users, their terms, limits and subscription links.',
  Grants: 'Traffic in addition to the tariff.',
  Tariffs: 'Tariffs: templates for users.',
  Inbounds: 'Inbounds: the settings by which users connect to nodes.',
  Nodes: 'Proxy servers. Changed in the panel only.',
  Statistics: 'Figures for dashboards and billing.',
  Events: 'The ordered feed of events.',
  Monitoring: 'Figures for Prometheus.',
  Panel: 'The panel itself.',
} as const;
export type Tag = keyof typeof TAGS;

/** A named example of a request and its reply. */
export interface Example {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly reply?: unknown;
}

interface Described {
  /** camelCase, unique over both doors; the operationId of OpenAPI and the method's name in the client. */
  readonly id: string;
  readonly tag: Tag;
  /** One line: what the operation does. */
  readonly summary: string;
  readonly description?: string;
  /** Codes beyond the common ones of its kind (see errors.ts). */
  readonly errors: readonly ErrorCode[];
}

/** An operation with a path on the API door; it is available at the panel door too. */
export interface ApiOperation<
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
  B extends z.ZodType | null = z.ZodType | null,
  O extends z.ZodType | null = z.ZodType | null,
> extends Described {
  readonly door: 'api';
  readonly method: Method;
  readonly path: `/${string}`;
  readonly access: Access;
  readonly params: P;
  readonly query: Q;
  /** null: no body (an empty one or `{}` is accepted). */
  readonly body: B;
  /** Success status. */
  readonly status: SuccessStatus;
  /** null: no body in the reply. */
  readonly output: O;
  /** Media types of the reply; the first is the default. */
  readonly produces: readonly string[];
  /** Additional reply headers. */
  readonly headers: readonly ('ETag' | 'Location' | 'Link')[];
  /** A POST that changes nothing: its input is a secret, which must not be in a path. */
  readonly effect?: 'read';
  /** 201 beside `status`: it creates the record if there is none to change. */
  readonly mayCreate?: true;
  /** Whether `If-Match` is honoured. */
  readonly ifMatch: boolean;
  readonly example: Example;
  /** Whether a call from the administrator's session needs proof of identity, as PanelOperation's `proof`; calls with a key need none. */
  needsSessionProof?(input: z.output<P> & z.output<Q> & z.output<NonNullable<B>>): boolean;
}

/** An operation of the panel only: it has no path, so it cannot be mounted on the API door. */
export interface PanelOperation<I extends z.ZodType = z.ZodType, O extends z.ZodType | null = z.ZodType | null>
  extends Described {
  readonly door: 'panel';
  /** `public`: before sign-in. `session`: the administrator's session. */
  readonly access: 'public' | 'session';
  readonly effect: Effect;
  /**
   * `fresh`: the administrator's password, and the code where the second factor is on, must have been entered in this session within the last
   * five minutes, or come with the call. For exports, weaker protection and harm to all users, so that a stolen session is not enough.
   */
  readonly proof?: 'fresh';
  /** Whether an input needs the proof; absent: each does. */
  proofFor?(input: z.output<I>): boolean;
  readonly input: I;
  /** The operation that the audit log names; absent: this one. */
  readonly auditedAs?: string;
  /** Success status. */
  readonly status: SuccessStatus;
  readonly output: O;
  readonly example: Pick<Example, 'body' | 'reply'>;
}

export type Operation = ApiOperation | PanelOperation;

type ApiDefaults = 'params' | 'query' | 'body' | 'output' | 'produces' | 'headers' | 'ifMatch' | 'errors';

/** An API operation; by default without parameters and body, JSON, without additional headers and errors. */
export function apiOperation<
  const Id extends string,
  const M extends Method,
  P extends z.ZodObject,
  Q extends z.ZodObject,
  B extends z.ZodType | null,
  O extends z.ZodType | null,
>(
  operation: Omit<ApiOperation<P, Q, B, O>, 'door' | ApiDefaults | 'id' | 'method'> &
    Pick<ApiOperation<P, Q, B, O>, 'params' | 'query' | 'body' | 'output'> &
    Partial<Pick<ApiOperation<P, Q, B, O>, 'produces' | 'headers' | 'ifMatch' | 'errors'>> & {
      readonly id: Id;
      readonly method: M;
    },
): ApiOperation<P, Q, B, O> & { readonly id: Id; readonly method: M } {
  return {
    door: 'api',
    produces: ['application/json'],
    headers: [],
    ifMatch: false,
    errors: [],
    ...operation,
  };
}

/** A panel-only operation; its success status is 200 by default. */
export function panelOperation<
  const Id extends string,
  const E extends Effect,
  I extends z.ZodType,
  O extends z.ZodType | null,
>(
  operation: Omit<PanelOperation<I, O>, 'door' | 'id' | 'effect' | 'status' | 'errors'> & {
    readonly id: Id;
    readonly effect: E;
    readonly status?: SuccessStatus;
    readonly errors?: readonly ErrorCode[];
  },
): PanelOperation<I, O> & { readonly id: Id; readonly effect: E } {
  return { door: 'panel', status: 200, errors: [], ...operation };
}

type Out<S> = S extends z.ZodType ? z.output<S> : unknown;

/** A section's members; none if the section is empty, because its type would forbid the members of the others. */
type Members<S> = string extends keyof S ? unknown : S;
type Flat<T> = unknown extends T ? Record<string, never> : { [K in keyof T]: T[K] };

/** The input of a handler: parameters of path and query and members of the body, in one flat record. */
export type InputOf<Op> =
  Op extends ApiOperation<infer P, infer Q, infer B, infer _O>
    ? Flat<Members<z.output<P>> & Members<z.output<Q>> & (B extends z.ZodType ? z.output<B> : unknown)>
    : Op extends PanelOperation<infer I, infer _O>
      ? z.output<I>
      : never;

/** The input of a caller: the same record before defaults. */
export type CallOf<Op> =
  Op extends ApiOperation<infer P, infer Q, infer B, infer _O>
    ? Flat<Members<z.input<P>> & Members<z.input<Q>> & (B extends z.ZodType ? z.input<B> : unknown)>
    : Op extends PanelOperation<infer I, infer _O>
      ? z.input<I>
      : never;

/** The reply of an operation; undefined without a body. */
export type OutputOf<Op> = Op extends { readonly output: infer O } ? (O extends z.ZodType ? Out<O> : undefined) : never;

/** Whether an operation changes nothing. */
export function isReading(operation: Operation): boolean {
  return operation.effect === 'read' || (operation.door === 'api' && operation.method === 'GET');
}

/** Whether calls of an operation may need a proof of identity. */
export function acceptsProof(operation: Operation): operation is PanelOperation {
  return operation.door === 'panel' && operation.proof !== undefined;
}

/** Whether this call of an operation needs it; of an API operation, a call from the administrator's session. */
export function needsProof(operation: Operation, input: object): boolean {
  if (operation.door === 'api') return operation.needsSessionProof?.(input as never) ?? false;
  return acceptsProof(operation) && (operation.proofFor?.(input) ?? true);
}

/** Whether an input has one of these members. */
export function hasMember(input: object, names: readonly string[]): boolean {
  return names.some((name) => name in input);
}

/** Whether a method of the API door has a body. */
export function hasBody(method: string): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH';
}

/** Whether a repetition is recognized by its Idempotency-Key. */
export function acceptsIdempotencyKey(operation: ApiOperation): boolean {
  return operation.method === 'POST' && !isReading(operation);
}
