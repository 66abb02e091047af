// Variables in names and titles that users read, in the spellings of Remnawave (`{{USERNAME}}`) and Marzban (`{USERNAME}`).

export const VARIABLES = [
  'USERNAME',
  'ID',
  'STATUS',
  'STATUS_EMOJI',
  'STATUS_TEXT',
  'DAYS_LEFT',
  'TIME_LEFT',
  'EXPIRE_DATE',
  'JALALI_EXPIRE_DATE',
  'EXPIRE_UNIX',
  'TRAFFIC_USED',
  'TRAFFIC_LEFT',
  'TOTAL_TRAFFIC',
  'TRAFFIC_USED_BYTES',
  'TRAFFIC_LEFT_BYTES',
  'TOTAL_TRAFFIC_BYTES',
  'USAGE_PERCENTAGE',
  'SUBSCRIPTION_URL',
  'PROFILE_TITLE',
  'PROTOCOL',
  'TRANSPORT',
  'SECURITY',
  'SERVER_IP',
] as const;
export type Variable = (typeof VARIABLES)[number];

/** Names by which Marzban and 3x-ui call the same values. */
const ALIASES: Readonly<Record<string, Variable>> = {
  DATA_USAGE: 'TRAFFIC_USED',
  DATA_LEFT: 'TRAFFIC_LEFT',
  DATA_LIMIT: 'TOTAL_TRAFFIC',
  TRAFFIC_TOTAL: 'TOTAL_TRAFFIC',
  TRAFFIC_TOTAL_BYTES: 'TOTAL_TRAFFIC_BYTES',
  HOST: 'SERVER_IP',
};

/** The value of a limit that a user does not have. */
export const UNLIMITED = '∞';

/** The text of a variable; empty or `UNLIMITED`: there is nothing to show. */
export type VariableValues = (variable: Variable) => string;

interface VariablePart {
  readonly variable: Variable;
  /** Of `{{STATUS:ACTIVE=on|EXPIRED=off}}`: texts by value; null: the value itself. */
  readonly cases: ReadonlyMap<string, string> | null;
}

/** Texts and variables in order. */
type Segment = readonly (string | VariablePart)[];

const TOKEN = /\{\{([A-Z][A-Z0-9_]*)(?::([^{}]*))?\}\}|\{([A-Z][A-Z0-9_]*)\}/g;
const SEPARATOR = '|';

/** Templates are few, and each is read once for each entry of each link. */
const parsed = new Map<string, readonly Segment[]>();
const MAX_PARSED = 1000;

/** Whether the text depends on whose link it is in. */
export function hasVariables(text: string): boolean {
  return text.includes('{') && parseTemplate(text).some((segment) => segment.some((part) => typeof part !== 'string'));
}

/**
 * The text with the values of its variables; unknown ones stay as they are written. Of segments between `|`, those are omitted whose variables are
 * all empty or unlimited: `DE | {{DAYS_LEFT}} days` is `DE` for a user whose term does not end.
 */
export function expandVariables(text: string, values: VariableValues): string {
  if (!text.includes('{')) return text;
  const segments = parseTemplate(text).map((segment) => expandSegment(segment, values));
  const shown = segments.filter((segment) => segment !== null);
  const isShortened = shown.length < segments.length;
  return isShortened ? shown.join(SEPARATOR).trim() : shown.join(SEPARATOR);
}

/** The text for a page that is no user's: what has variables in it is omitted, unless nothing else would be left. */
export function dropVariables(text: string): string {
  return expandVariables(text, () => '') || text;
}

/** null: it has variables, and none of them has anything to show. */
function expandSegment(segment: Segment, values: VariableValues): string | null {
  let text = '';
  let variables = 0;
  let shown = 0;
  for (const part of segment) {
    if (typeof part === 'string') {
      text += part;
      continue;
    }
    const value = values(part.variable);
    const chosen = part.cases === null ? value : (part.cases.get(value) ?? '');
    variables += 1;
    if (chosen !== '' && chosen !== UNLIMITED) shown += 1;
    text += chosen;
  }
  return variables > 0 && shown === 0 ? null : text;
}

function parseTemplate(text: string): readonly Segment[] {
  let found = parsed.get(text);
  if (found === undefined) {
    if (parsed.size >= MAX_PARSED) parsed.clear();
    found = parseSegments(text);
    parsed.set(text, found);
  }
  return found;
}

function parseSegments(text: string): readonly Segment[] {
  const segments: (string | VariablePart)[][] = [[]];
  const addText = (plain: string) => {
    plain.split(SEPARATOR).forEach((piece, index) => {
      if (index > 0) segments.push([]);
      if (piece !== '') segments.at(-1)?.push(piece);
    });
  };
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const variable = findVariable(match[1] ?? match[3] ?? '');
    if (variable === null) continue;
    addText(text.slice(end, match.index));
    segments.at(-1)?.push({ variable, cases: match[2] === undefined ? null : parseCases(match[2]) });
    end = match.index + match[0].length;
  }
  addText(text.slice(end));
  return segments;
}

function findVariable(name: string): Variable | null {
  if (Object.hasOwn(ALIASES, name)) return ALIASES[name] ?? null;
  return VARIABLES.find((known) => known === name) ?? null;
}

function parseCases(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split(SEPARATOR).map((each) => {
      const at = each.indexOf('=');
      return at === -1 ? [each.trim(), ''] : [each.slice(0, at).trim(), each.slice(at + 1)];
    }),
  );
}
