// What an operation is: one value from which validation, types, routes, documentation, client and tests are made.
import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** `read`: any key. `full`: Full access only. */
export type Access = 'read' | 'full';
export type Effect = 'read' | 'write';
export type SuccessStatus = 200 | 201 | 204;

export const TAGS = {
  Users: 'Users, their terms, limits and subscription links.',
  Grants: 'Traffic added to a user on top of the plan.',
  Tariffs: 'Plans: what a user gets when created from one.',
  Inbounds: 'Connections: what users connect to.',
  Nodes: 'The servers that carry the traffic. Changed in the panel only.',
  Statistics: 'Figures for dashboards and billing.',
  Events: 'An ordered feed of what happened.',
  Monitoring: 'Figures for Prometheus.',
  Panel: 'The panel itself.',
} as const;
export type Tag = keyof typeof TAGS;

/** A named example of a request and what answers it. */
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

/** An operation that has a path on the API door, and is reached by the panel door too. */
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
  /** Reply headers of its own. */
  readonly headers: readonly ('ETag' | 'Location' | 'Link')[];
  /** A POST that changes nothing: what it asks for is a secret, which must not be in a path. */
  readonly effect?: 'read';
  /** 201 beside `status`: it creates where there is nothing to change. */
  readonly mayCreate?: true;
  /** Whether `If-Match` is honoured. */
  readonly ifMatch: boolean;
  readonly example: Example;
}

/** An operation that only the panel has: it cannot be mounted on the API door, it has no path. */
export interface PanelOperation<I extends z.ZodType = z.ZodType, O extends z.ZodType | null = z.ZodType | null>
  extends Described {
  readonly door: 'panel';
  /** `public`: before sign-in. `session`: the administrator's session. */
  readonly access: 'public' | 'session';
  readonly effect: Effect;
  /**
   * `fresh`: the administrator's password, and the code where the second factor is on, must have been given in this session within the
   * last five minutes, or come with the call. For what takes data out of the panel or weakens it, so that a stolen session alone is not enough.
   */
  readonly proof?: 'fresh';
  /** The members of the input that make the proof necessary, none of which has a default; absent: it always is. */
  readonly proofFor?: readonly string[];
  readonly input: I;
  /** The operation as which the audit log names it; absent: its own. */
  readonly auditedAs?: string;
  /** Success status. */
  readonly status: SuccessStatus;
  readonly output: O;
  readonly example: Pick<Example, 'body' | 'reply'>;
}

export type Operation = ApiOperation | PanelOperation;

type ApiDefaults = 'params' | 'query' | 'body' | 'output' | 'produces' | 'headers' | 'ifMatch' | 'errors';

/** An API operation; what is left out means: no parameters, no body, JSON, no headers or errors of its own. */
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

/** A panel-only operation; its success status is 200 unless it names another. */
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

/** A section's members; none where the section is empty, whose type would forbid the members of the others. */
type Members<S> = string extends keyof S ? unknown : S;
type Flat<T> = unknown extends T ? Record<string, never> : { [K in keyof T]: T[K] };

/** What a handler gets: parameters of path and query and the members of the body, in one flat record. */
export type InputOf<Op> =
  Op extends ApiOperation<infer P, infer Q, infer B, infer _O>
    ? Flat<Members<z.output<P>> & Members<z.output<Q>> & (B extends z.ZodType ? z.output<B> : unknown)>
    : Op extends PanelOperation<infer I, infer _O>
      ? z.output<I>
      : never;

/** What a caller sends: the same record before defaults. */
export type CallOf<Op> =
  Op extends ApiOperation<infer P, infer Q, infer B, infer _O>
    ? Flat<Members<z.input<P>> & Members<z.input<Q>> & (B extends z.ZodType ? z.input<B> : unknown)>
    : Op extends PanelOperation<infer I, infer _O>
      ? z.input<I>
      : never;

/** What an operation replies with; undefined where there is no body. */
export type OutputOf<Op> = Op extends { readonly output: infer O } ? (O extends z.ZodType ? Out<O> : undefined) : never;

/** Whether an operation changes nothing. */
export function isReading(operation: Operation): boolean {
  return operation.effect === 'read' || (operation.door === 'api' && operation.method === 'GET');
}

/** Whether calls of an operation may need proof of identity. */
export function takesProof(operation: Operation): operation is PanelOperation {
  return operation.door === 'panel' && operation.proof !== undefined;
}

/** Whether this call of an operation needs it. */
export function needsProof(operation: Operation, input: object): boolean {
  return takesProof(operation) && (operation.proofFor?.some((member) => member in input) ?? true);
}

/** Whether a method of the API door comes with a body. */
export function hasBody(method: string): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH';
}

/** Whether a repetition is recognized by its Idempotency-Key. */
export function takesIdempotencyKey(operation: ApiOperation): boolean {
  return operation.method === 'POST' && !isReading(operation);
}
