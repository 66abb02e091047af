// The published `extra` of XHTTP, by Xray's own names, so that what other panels and guides show can be pasted.
import { z } from 'zod';

export const XHTTP_MODES = ['auto', 'packet-up', 'stream-up', 'stream-one'] as const;

const MAX_INT32 = 2_147_483_647;
/** What Xray requires of the ids of sessions, so that none is used twice. */
const MIN_SESSION_IDS = 2 ** 31;
const MAX_EXTRA = 4000;
/** Lengths of the alphabets that Xray has names for. */
const ALPHABETS: ReadonlyMap<string, number> = new Map([
  ['ALPHABET', 26],
  ['Alphabet', 52],
  ['BASE36', 36],
  ['Base62', 62],
  ['HEX', 16],
  ['alphabet', 26],
  ['base36', 36],
  ['hex', 16],
  ['number', 10],
]);
const MAX_ID_LENGTH = 128;

type Range = number | string;

/** The ends of a range, as in `100-1000` or `100`. */
export function readRange(range: Range): { readonly from: number; readonly to: number } {
  const [from = 0, to = from] = String(range).split('-').map(Number);
  return { from, to };
}

const RANGE = /^\d{1,10}(?:-\d{1,10})?$/;
const isRange = (text: string) => {
  const { from, to } = readRange(text);
  return from <= to && to <= MAX_INT32;
};
const range = z.union([
  z.int().min(0).max(MAX_INT32),
  z
    .string()
    .regex(RANGE)
    .refine((text) => !RANGE.test(text) || isRange(text), { message: 'must be a range from the lower to the higher' }),
]);
const positiveRange = range.refine((one) => readRange(one).from > 0, { message: 'must begin above 0' });
const count = z.int().min(0).max(MAX_INT32);
/** A token of RFC 9110, which is also a name of a cookie and of a query parameter. */
const name = z
  .string()
  .max(64)
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/);
const headerValue = z
  .string()
  .max(512)
  .regex(/^[\x20-\x7e]*$/);
const idPlacement = z.enum(['path', 'cookie', 'header', 'query']);

const xmux = z
  .strictObject({
    maxConcurrency: range.optional(),
    maxConnections: range.optional(),
    cMaxReuseTimes: range.optional(),
    hMaxRequestTimes: range.optional(),
    hMaxReusableSecs: range.optional(),
    hKeepAlivePeriod: count.optional(),
  })
  .refine(
    ({ maxConcurrency = 0, maxConnections = 0 }) => !(readRange(maxConcurrency).to && readRange(maxConnections).to),
    {
      message: 'must have maxConcurrency or maxConnections, not both',
    },
  );

interface SessionIds {
  readonly sessionIDTable?: string | undefined;
  readonly sessionIDLength?: Range | undefined;
}

function hasEnoughIds({ sessionIDTable: table, sessionIDLength: length = 0 }: SessionIds): boolean {
  if (table === undefined) return true;
  const { from, to } = readRange(length);
  const letters = ALPHABETS.get(table) ?? table.length;
  // Also called with a table or length that is refused for itself, from which no number of rounds may follow.
  if (from === 0 || to > MAX_ID_LENGTH || letters < 2) return false;
  let ids = 0;
  for (let size = from; size <= to && ids < MIN_SESSION_IDS; size += 1) ids += letters ** size;
  return ids >= MIN_SESSION_IDS;
}

export const xhttpExtra = z
  .strictObject({
    headers: z
      .record(name, headerValue)
      .refine((headers) => Object.keys(headers).length <= 20, { message: 'must have at most 20 headers' })
      .refine((headers) => !Object.keys(headers).some((one) => one.toLowerCase() === 'host'), {
        message: 'must not have Host, which is the server name',
      })
      .optional(),
    xPaddingBytes: positiveRange.optional(),
    xPaddingObfsMode: z.boolean().optional(),
    xPaddingKey: name.optional(),
    xPaddingHeader: name.optional(),
    xPaddingPlacement: z.enum(['cookie', 'header', 'query', 'queryInHeader']).optional(),
    xPaddingMethod: z.enum(['repeat-x', 'tokenish']).optional(),
    uplinkHTTPMethod: z.enum(['POST', 'PUT', 'PATCH', 'DELETE', 'GET']).optional(),
    sessionIDPlacement: idPlacement.optional(),
    sessionIDKey: name.optional(),
    sessionIDTable: z
      .string()
      .min(2)
      .max(128)
      .regex(/^[A-Za-z0-9_-]+$/)
      .optional(),
    sessionIDLength: range
      .refine((one) => readRange(one).to <= MAX_ID_LENGTH, { message: `must be at most ${MAX_ID_LENGTH}` })
      .optional(),
    seqPlacement: idPlacement.optional(),
    seqKey: name.optional(),
    uplinkDataPlacement: z.enum(['auto', 'body', 'cookie', 'header']).optional(),
    uplinkDataKey: name.optional(),
    uplinkChunkSize: range.optional(),
    noGRPCHeader: z.boolean().optional(),
    noSSEHeader: z.boolean().optional(),
    scMaxEachPostBytes: positiveRange.optional(),
    scMinPostsIntervalMs: range.optional(),
    scMaxBufferedPosts: count.optional(),
    scStreamUpServerSecs: range.optional(),
    serverMaxHeaderBytes: count.optional(),
    xmux: xmux.optional(),
  })
  .refine(hasEnoughIds, { path: ['sessionIDTable'], message: 'must have at least 2,147,483,648 ids' })
  .refine((extra) => JSON.stringify(extra).length <= MAX_EXTRA, { message: 'must have at most 4,000 characters' });

export type XhttpMode = (typeof XHTTP_MODES)[number];
export type XhttpExtra = z.output<typeof xhttpExtra>;
