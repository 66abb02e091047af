// Offsets of IANA time zones with a cache: Intl is called once per span of constant offset.
import { DAY_MS } from './limits.ts';

/** A span of time, start inclusive, end exclusive, in which a zone's offset is constant. */
interface Span {
  readonly from: number;
  readonly to: number;
  readonly offset: number;
}

interface Zone {
  readonly format: Intl.DateTimeFormat;
  readonly buckets: Map<number, readonly Span[]>;
  last: Span;
}

// A bit more than a year. The first use of a bucket costs about 400 calls of Intl (around 1 ms), later ones none.
const BUCKET_MS = 2 ** 35;

const zones = new Map<string, Zone>();

/**
 * The zone's local time minus UTC at an instant (epoch ms), in ms: +19,800,000 in Asia/Kolkata. Throws a RangeError for a name that `isTimeZone`
 * refuses.
 */
export function zoneOffset(ms: number, zone: string): number {
  const known = zones.get(zone) ?? addZone(zone);
  if (ms >= known.last.from && ms < known.last.to) return known.last.offset;
  const index = Math.floor(ms / BUCKET_MS);
  let spans = known.buckets.get(index);
  if (spans === undefined) {
    spans = measureBucket(known.format, index);
    known.buckets.set(index, spans);
  }
  for (const span of spans) {
    if (ms < span.to) {
      known.last = span;
      return span.offset;
    }
  }
  throw new RangeError(`no offset for ${ms}`);
}

/** Whether a name is a time zone that this runtime knows. Bare offsets (`+03:00`) are refused. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function addZone(name: string): Zone {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const zone = { format, buckets: new Map<number, readonly Span[]>(), last: { from: 0, to: 0, offset: 0 } };
  zones.set(name, zone);
  return zone;
}

// Samples once a day, since no zone changes its offset twice in a day. Each change is then located by bisection.
function measureBucket(format: Intl.DateTimeFormat, index: number): readonly Span[] {
  const end = (index + 1) * BUCKET_MS;
  const spans: Span[] = [];
  let from = index * BUCKET_MS;
  let offset = measure(format, from);
  for (let at = from; at < end; ) {
    const next = Math.min(end, at + DAY_MS);
    const nextOffset = measure(format, next);
    if (nextOffset !== offset) {
      const change = firstChange(format, at, next, offset);
      if (change < end) {
        spans.push({ from, to: change, offset });
        from = change;
        offset = nextOffset;
      }
    }
    at = next;
  }
  spans.push({ from, to: end, offset });
  return spans;
}

function firstChange(format: Intl.DateTimeFormat, from: number, to: number, offset: number): number {
  let before = from;
  let after = to;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (measure(format, middle) === offset) before = middle;
    else after = middle;
  }
  return after;
}

function measure(format: Intl.DateTimeFormat, ms: number): number {
  const whole = Math.floor(ms / 1000) * 1000;
  const [month = 1, day = 1, year = 1970, hour = 0, minute = 0, second = 0] = (
    format.format(whole).match(/\d+/g) ?? []
  ).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second) - whole;
}
