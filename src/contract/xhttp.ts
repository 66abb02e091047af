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
const idPlacement = z
  .enum(['path', 'cookie', 'header', 'query'])
  .meta({ id: 'XhttpIdPlacement', description: 'The part of a request that has the id.' });
const paddingPlacement = z
  .enum(['cookie', 'header', 'query', 'queryInHeader'])
  .meta({ id: 'XhttpPaddingPlacement', description: 'The part of a request that has the padding.' });
const paddingMethod = z
  .enum(['repeat-x', 'tokenish'])
  .meta({ id: 'XhttpPaddingMethod', description: 'What the padding consists of.' });
const uplinkMethod = z
  .enum(['POST', 'PUT', 'PATCH', 'DELETE', 'GET'])
  .meta({ id: 'XhttpUplinkMethod', description: 'The method of requests that send data to the node.' });
const dataPlacement = z
  .enum(['auto', 'body', 'cookie', 'header'])
  .meta({ id: 'XhttpDataPlacement', description: 'The part of a request that has the data.' });

const xmux = z
  .strictObject({
    maxConcurrency: range.optional().meta({
      description:
        'How many connections of apps one connection to the node carries at once. Not together with `maxConnections`.',
    }),
    maxConnections: range
      .optional()
      .meta({ description: 'How many connections to the node are open at once. Not together with `maxConcurrency`.' }),
    cMaxReuseTimes: range.optional().meta({ description: 'How often a connection to the node is used again.' }),
    hMaxRequestTimes: range
      .optional()
      .meta({ description: 'The number of requests after which a connection to the node is replaced.' }),
    hMaxReusableSecs: range
      .optional()
      .meta({ description: 'After how many seconds a connection to the node is replaced.' }),
    hKeepAlivePeriod: count
      .optional()
      .meta({ description: 'Seconds between the probes that keep an idle connection open; 0: by HTTP.' }),
  })
  .refine(
    ({ maxConcurrency = 0, maxConnections = 0 }) => !(readRange(maxConcurrency).to && readRange(maxConnections).to),
    {
      message: 'must have maxConcurrency or maxConnections, not both',
    },
  )
  .meta({ id: 'Xmux', description: 'How apps share connections to the node.' });

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
      .optional()
      .meta({ description: 'Headers of each request. `Host` is the server name.' }),
    xPaddingBytes: positiveRange.optional().meta({ description: 'The length of the padding in bytes.' }),
    xPaddingObfsMode: z
      .boolean()
      .optional()
      .meta({ description: 'true: the padding is placed and made by the following members.' }),
    xPaddingKey: name
      .optional()
      .meta({ description: 'The name of the cookie or of the query parameter with the padding.' }),
    xPaddingHeader: name.optional().meta({ description: 'The name of the header with the padding.' }),
    xPaddingPlacement: paddingPlacement.optional(),
    xPaddingMethod: paddingMethod.optional(),
    uplinkHTTPMethod: uplinkMethod.optional(),
    sessionIDPlacement: idPlacement.optional(),
    sessionIDKey: name
      .optional()
      .meta({ description: 'The name of the cookie, header or query parameter with the id of a session.' }),
    sessionIDTable: z
      .string()
      .min(2)
      .max(128)
      .regex(/^[A-Za-z0-9_-]+$/)
      .optional()
      .meta({ description: 'The letters of ids of sessions, or a name that Xray has for an alphabet, as `Base62`.' }),
    sessionIDLength: range
      .refine((one) => readRange(one).to <= MAX_ID_LENGTH, { message: `must be at most ${MAX_ID_LENGTH}` })
      .optional()
      .meta({ description: 'The length of ids of sessions. There must be at least 2,147,483,648 ids.' }),
    seqPlacement: idPlacement.optional(),
    seqKey: name
      .optional()
      .meta({ description: 'The name of the cookie, header or query parameter with the number of a part.' }),
    uplinkDataPlacement: dataPlacement.optional(),
    uplinkDataKey: name.optional().meta({ description: 'The name of the cookie or header with the data.' }),
    uplinkChunkSize: range.optional().meta({ description: 'The number of bytes in one cookie or header.' }),
    noGRPCHeader: z.boolean().optional().meta({ description: 'true: requests do not claim to be gRPC.' }),
    noSSEHeader: z.boolean().optional().meta({ description: 'true: replies do not claim to be server-sent events.' }),
    scMaxEachPostBytes: positiveRange
      .optional()
      .meta({ description: 'The most bytes that one request sends, with the mode `packet-up`.' }),
    scMinPostsIntervalMs: range
      .optional()
      .meta({ description: 'Milliseconds between two requests of one connection, with the mode `packet-up`.' }),
    scMaxBufferedPosts: count
      .optional()
      .meta({ description: 'How many requests of one connection the node stores until those before them have come.' }),
    scStreamUpServerSecs: range
      .optional()
      .meta({ description: 'Seconds between the bytes that keep a request open, with the mode `stream-up`.' }),
    serverMaxHeaderBytes: count
      .optional()
      .meta({ description: 'The most bytes of the headers of one request that the node accepts; 0: by Xray.' }),
    xmux: xmux.optional(),
  })
  .refine(hasEnoughIds, { path: ['sessionIDTable'], message: 'must have at least 2,147,483,648 ids' })
  .refine((extra) => JSON.stringify(extra).length <= MAX_EXTRA, { message: 'must have at most 4,000 characters' });

export type XhttpMode = (typeof XHTTP_MODES)[number];
export type XhttpExtra = z.output<typeof xhttpExtra>;
