// Content negotiation by the Accept header (RFC 9110 section 12.5.1).

interface Range {
  readonly type: string;
  readonly quality: number;
}

const RANGE = /^\s*([!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+)\s*((?:;[^;]*)*)$/;
const QUALITY = /;\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*(?:;|$)/i;

/**
 * The media type to answer with, of those that can be produced; null if none is acceptable. A missing header accepts all, and
 * the first produced wins a tie. Parameters other than `q` are not compared; ranges that cannot be read are passed over.
 */
export function chooseType(accept: string | undefined, produces: readonly string[]): string | null {
  const [first = null] = produces;
  if (accept === undefined || accept === '*/*' || accept === first) return first;
  const ranges = accept.split(',').flatMap(readRange);
  if (ranges.length === 0) return first;
  let best: Range | null = null;
  for (const type of produces) {
    const quality = qualityOf(type, ranges);
    if (quality > (best?.quality ?? 0)) best = { type, quality };
  }
  return best?.type ?? null;
}

function readRange(text: string): readonly Range[] {
  const match = RANGE.exec(text);
  if (match === null) return [];
  const [, type = '', parameters = ''] = match;
  const quality = QUALITY.exec(parameters)?.[1];
  return [{ type: type.toLowerCase(), quality: quality === undefined ? 1 : Math.min(1, Number(quality)) }];
}

/** The most specific range that matches decides. */
function qualityOf(type: string, ranges: readonly Range[]): number {
  const group = `${type.slice(0, type.indexOf('/'))}/*`;
  for (const wanted of [type, group, '*/*']) {
    const matching = ranges.filter((range) => range.type === wanted);
    if (matching.length > 0) return Math.max(...matching.map((range) => range.quality));
  }
  return 0;
}
