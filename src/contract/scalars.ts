// Basic types of all records, each with its bounds.
import { z } from 'zod';
import { CURRENCIES } from './currencies.ts';

/** Traffic limits and grants: 1 byte to 1 PiB. */
export const MAX_TRAFFIC = 2 ** 50;
/** No term ends later than 2100-01-01T00:00:00Z. */
export const MAX_EXPIRES_AT = '2100-01-01T00:00:00Z';
const MAX_EXPIRES_MS = Date.parse(MAX_EXPIRES_AT);

// Refused everywhere: control characters except tab and line feed, and lone surrogates, which UTF-8 cannot encode.
const CONTROL = /[^\P{Cc}\t\n]/u;

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

interface TextRule {
  readonly min: number;
  readonly max: number;
  /** Whether line feeds and tabs are allowed. */
  readonly multiline?: boolean;
}

// The same rule for the documentation, with features that regular expressions of all languages share.
const REFUSED = '\\x00-\\x1f\\x7f-\\x9f';
const REFUSED_MULTILINE = '\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f';

/** Text measured in code points, as JSON Schema does, without control characters. A minimum above 0 also requires a character that is not white space. */
export function text({ min, max, multiline = false }: TextRule) {
  return z
    .string()
    .superRefine((value, context) => {
      const length = value.length <= max && min <= 1 ? Math.max(1, value.length) : codePoints(value);
      if (value.length < min || length < min) {
        context.addIssue({ code: 'too_small', minimum: min, origin: 'string', inclusive: true, input: value });
      } else if (length > max) {
        context.addIssue({ code: 'too_big', maximum: max, origin: 'string', inclusive: true, input: value });
      } else if (min > 0 && value.trim() === '') {
        context.addIssue({ code: 'custom', message: 'must not be blank', input: value });
      } else if (CONTROL.test(value) || (!multiline && /[\t\n]/.test(value)) || !value.isWellFormed()) {
        context.addIssue({ code: 'custom', message: 'must not contain control characters', input: value });
      }
    })
    .meta({ minLength: min, maxLength: max, pattern: buildPattern(min, multiline) });
}

function buildPattern(min: number, multiline: boolean): string {
  const refused = multiline ? REFUSED_MULTILINE : REFUSED;
  return min > 0 ? `^[^${refused}]*[^\\s${refused}][^${refused}]*$` : `^[^${refused}]*$`;
}

/** The currency of a price. */
export const currency = z.enum(CURRENCIES).meta({
  id: 'Currency',
  description: 'The code of a currency by ISO 4217, or `XTR` for Telegram Stars.',
});

/** Ids are positive integers, never used again. */
export const id = z.int().min(1).max(Number.MAX_SAFE_INTEGER);

/** The id of a record, as a member and in a path. */
export function defineId(noun: string) {
  return id.meta({ description: `The id of the ${noun}: a positive integer that is never used again.` });
}

/** The parameters of a path that ends in the id of a record. */
export function defineIdParams(noun: string) {
  return z.strictObject({ id: defineId(noun) });
}

/**
 * One value or a list of distinct ones; in a query separated by commas. An empty list is refused, because it would be no condition.
 */
export function oneOrMore<T extends z.ZodType<string>>(item: T, max: number) {
  return z.union([item, listOfDistinct(item, max)]);
}

/** A list of distinct values, at least one; in a query separated by commas. */
export function listOfDistinct<T extends z.ZodType<string | number>>(item: T, max: number) {
  return z
    .array(item)
    .min(1)
    .max(max)
    .refine((all) => new Set(all).size === all.length, { message: 'must not repeat a value' })
    .meta({ uniqueItems: true });
}

/** The value of `oneOrMore` as a list; undefined if it is absent. */
export function toList<T extends string>(value: T | readonly T[] | undefined): readonly T[] | undefined {
  return typeof value === 'string' ? [value] : value;
}

/** A time in a reply: RFC 3339, UTC, with `Z`. */
export const instant = z.iso.datetime({ precision: null }).meta({ examples: ['2026-12-20T21:00:00.000Z'] });
export const createdAt = instant.meta({ description: 'When the record was created.' });
export const updatedAt = instant.meta({ description: 'When the record was last changed by a request.' });

// The formats of RFC 3339 section 5.6, without second 60; days of months are checked after parsing.
const RFC_3339 =
  /^\d{4}-\d\d-\d\d[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
const OFFSET = /(?:Z|[+-]\d\d:\d\d)$/;

function isTime(text: string): boolean {
  if (!RFC_3339.test(text)) return false;
  const local = text.toUpperCase().replace(OFFSET, 'Z');
  const at = Date.parse(local);
  // 30 February would be parsed as 2 March.
  return !Number.isNaN(at) && new Date(at).toISOString().slice(0, 10) === local.slice(0, 10);
}

/** The same time in UTC. An invalid time, or a year without four digits, is returned unchanged and then refused. */
function toUtc(text: string): string {
  if (!isTime(text)) return text;
  const at = new Date(text.toUpperCase());
  const year = at.getUTCFullYear();
  return year >= 0 && year <= 9999 ? at.toISOString() : text;
}

/** A time in a request: RFC 3339 with any offset, converted to UTC. */
export const time = z
  .stringFormat('datetime', isTime)
  .overwrite(toUtc)
  .meta({ examples: ['2026-12-20T21:00:00Z', '2026-12-21T00:00:00+03:00'] });

/** The end of a term, not later than 2100-01-01. */
export const expiresAt = time.refine(
  (value) => {
    const at = Date.parse(value);
    return !(at < 0 || at > MAX_EXPIRES_MS);
  },
  { message: `must lie between 1970 and ${MAX_EXPIRES_AT}` },
);

/** Whole bytes; counters are safe integers. */
export const bytes = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

/** A traffic limit: bytes per period. */
export const trafficLimit = z.int().min(1).max(MAX_TRAFFIC);
export const trafficLimitOrNone = trafficLimit.nullable().meta({ description: 'Bytes per period; null: unlimited.' });

/** A list of inbound ids without repetition; null allows all, an empty list none. */
export const inboundIds = z
  .array(id)
  .max(1000)
  .refine((ids) => new Set(ids).size === ids.length, { message: 'must not repeat an id' })
  .meta({ uniqueItems: true })
  .nullable()
  .meta({
    description: 'The ids of the allowed inbounds. null: all, including those added later; an empty list: none.',
  });

/** Largest device limit of a user. */
export const MAX_DEVICES = 100;

export const deviceLimit = z.int().min(1).max(MAX_DEVICES).nullable().meta({
  description:
    'The intended number of devices; null: any number. It is shown to the user but not enforced: devices are neither counted nor refused. `concurrent_limit` is enforced.',
});

export const concurrentLimit = z.int().min(1).max(100).nullable().meta({
  description:
    'The number of addresses from which the user may be connected at the same time; null: any number. Exceeding it emits `user.concurrent_exceeded`; the user is blocked for 5 minutes if that setting is on. Addresses are counted on nodes whose engine reports them, such as Xray.',
});

// The characters of a host name, without Unicode classes, which many JSON Schema validators do not support.
const PORTABLE_HOST =
  '^(?:[0-9a-fA-F:.]*:[0-9a-fA-F:.]*|[^\\x00-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\xa9](?:[^\\x00-\\x2c\\x2f\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\xa9]*[^\\x00-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\xa9])?)$';

const ipv6 = z.ipv6();

/** A DNS name or an IP literal without brackets. It is part of links, so it must not contain their separators. */
export const hostName = z
  .string()
  .max(253)
  .regex(/^(?:[0-9a-fA-F:.]*:[0-9a-fA-F:.]*|[\p{L}\p{N}](?:[\p{L}\p{N}._-]*[\p{L}\p{N}])?)$/u)
  // `1.2.3.4:443` has only characters of an IPv6 address, but is none.
  .refine((host) => !/^[0-9a-fA-F.]*:[0-9a-fA-F:.]*$/.test(host) || ipv6.safeParse(host).success, {
    message: 'must be a name or an address, without a port',
  })
  .meta({ override: { pattern: PORTABLE_HOST } });

/** Descriptions that requests and replies share; replies have no bounds. */
export const ABOUT = {
  name: 'A name for people to read; not necessarily unique.',
  contact: 'How to contact the user: a phone number, an e-mail address, a name in a messenger. Empty: unknown.',
  note: 'A remark for the operators of the panel, which the user does not see.',
  tags: 'Labels to filter by.',
} as const;

export const name = text({ min: 1, max: 100 }).meta({ description: ABOUT.name });
export const contact = text({ min: 0, max: 100 }).meta({ description: ABOUT.contact });
/** An e-mail address, to be written to. */
export const email = z.email().max(200);
export const note = text({ min: 0, max: 2000, multiline: true }).meta({ description: ABOUT.note });
export const tag = text({ min: 1, max: 32 });
/** Tags of a user. */
export const MAX_TAGS = 20;
export const tags = z
  .array(tag)
  .max(MAX_TAGS)
  .refine((all) => new Set(all).size === all.length, { message: 'must not repeat a tag' })
  .meta({ uniqueItems: true, description: `${ABOUT.tags} A change replaces the whole list.` });

// Every URL parser removes these segments from a path, also as `%2e`, so such an id would be unreachable.
const DOT_SEGMENTS: readonly string[] = ['.', '..'];

/** The id of a record in another system. */
export const externalId = text({ min: 1, max: 100 })
  .refine((id) => !DOT_SEGMENTS.includes(id), { message: 'must not be . or .., which no path can contain' })
  .meta({ not: { enum: DOT_SEGMENTS } });
export const telegramId = z.int().min(1).max(Number.MAX_SAFE_INTEGER);

/** Members of a user's metadata. */
export const MAX_METADATA = 20;
const metadataKey = text({ min: 1, max: 40 });
const metadataValue = text({ min: 0, max: 500, multiline: true });

/** A record of texts. zod silently drops `__proto__` from a record, so it is refused first. */
function textRecord<T extends z.ZodType>(value: T, max: number) {
  const record = z
    .record(metadataKey, value)
    .refine((members) => Object.keys(members).length <= max, { message: `must have at most ${max} members` })
    .meta({ maxProperties: max });
  return z.preprocess((input: z.input<typeof record>, context) => {
    if (typeof input === 'object' && input !== null && Object.hasOwn(input, '__proto__')) {
      context.addIssue({ code: 'custom', message: 'must not be __proto__', path: ['__proto__'] });
    }
    return input;
  }, record);
}

export const metadata = textRecord(metadataValue, MAX_METADATA);
/** A merge patch of metadata: it can remove every member and set as many. */
export const metadataPatch = textRecord(metadataValue.nullable(), 2 * MAX_METADATA);
/** One member, for a filter: in a query `metadata[key]=value`. */
export const metadataFilter = textRecord(text({ min: 1, max: 500, multiline: true }), 1)
  .refine((members) => Object.keys(members).length > 0, { message: 'must have one member' })
  .meta({ minProperties: 1 });

export const STATUSES = ['up', 'down', 'unknown'] as const;
export const status = z.enum(STATUSES).meta({
  id: 'Status',
  description:
    '`up`: the node answers. `down`: it does not. `unknown`: not polled yet, or not within the last 3 minutes.',
});

export const RANGES = ['24h', '7d', '30d'] as const;
export const range = z.enum(RANGES).meta({
  id: 'Range',
  description:
    "The reported time: `24h` is 24 hours and `7d` 168 hours, in steps of an hour; `30d` is 30 days of the panel's time zone, in steps of a day.",
});
export type Range = z.output<typeof range>;

/** Directions as the user sees them: `up` is sent by the user, `down` is received. */
export const updown = z
  .object({
    up: bytes.meta({ description: 'Bytes that users sent.' }),
    down: bytes.meta({ description: 'Bytes that users received.' }),
  })
  .meta({ id: 'UpDown', description: 'Traffic in both directions.' });

export const limit = z
  .int()
  .min(1)
  .max(500)
  .default(100)
  .meta({ description: 'The maximum number of records on a page.' });
export const offset = z.int().min(0).max(Number.MAX_SAFE_INTEGER).default(0).meta({
  description:
    'The number of records to skip. To read all pages use `cursor`, which neither skips nor repeats records.',
});
export const cursor = z
  .string()
  .max(400)
  .optional()
  .meta({ description: '`next_cursor` of the previous page, with the same filters and sort, and without `offset`.' });

/** Paging parameters of every list. */
export const paging = { limit, offset, cursor };

/** The envelope that every list has. */
export function defineList<T extends z.ZodType>(item: T, title: string) {
  return z
    .object({
      items: z.array(item).meta({ description: 'The records of this page, in the order of the list.' }),
      total: z.int().min(0).meta({ description: 'The exact number of matching records on all pages.' }),
      limit: z.int().min(1).meta({ description: 'The `limit` of the request.' }),
      offset: z.int().min(0).meta({ description: 'The `offset` of the request; 0 with `cursor`.' }),
      next_cursor: z.string().nullable().meta({ description: 'The `cursor` of the next page; null on the last one.' }),
    })
    .meta({ id: title, description: 'A page of a list.' });
}
