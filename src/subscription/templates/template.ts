// A template is the document around the connections of a format. It is parsed once; each link then only joins texts.
import { type Document, parseDocument, stringify, visit } from 'yaml';
import { MAX_DOCUMENT, type TemplateDocument } from '../../contract/subscription/templates.ts';
import { parseForeignJson } from '../../domain/foreign-json.ts';

/** Placeholder of all connections in a group. */
export const ALL = '{all}';
/** The outbound of Xray that stands for the fastest connection, or the only one. */
const PROXY_TAG = 'proxy';

/** Why a document cannot be a template. */
export type TemplateProblem = 'syntax' | 'object' | 'proxies' | 'groups' | 'all' | 'names' | 'outbounds' | 'rules';

/** `detail`: the place in the text or the reason; can be empty. */
export type TemplateFault = Error & { readonly problem: TemplateProblem; readonly detail: string };

function fault(problem: TemplateProblem, detail = ''): TemplateFault {
  return Object.assign(new Error(`${problem}: ${detail}`), { problem, detail });
}

export function isTemplateFault(error: unknown): error is TemplateFault {
  return error instanceof Error && 'problem' in error;
}

type Json = Readonly<Record<string, unknown>>;

/** A text, split where the values of a link are inserted. */
export type Pieces = readonly string[];

export interface MihomoTemplate {
  /** The document without proxies and groups. */
  readonly head: string;
  /** One line for each group, to be joined by the names. */
  readonly groups: readonly Pieces[];
  readonly names: readonly string[];
}

export interface SingBoxTemplate {
  /** JSON of all members except outbounds and endpoints, without braces. */
  readonly members: string;
  /** To be joined by the tags. */
  readonly outbounds: readonly Pieces[];
  readonly endpoints: readonly string[];
  readonly names: readonly string[];
}

export interface XrayTemplate {
  /** JSON of all members except outbounds, routing and observatory, without braces. */
  readonly members: string;
  readonly outbounds: readonly string[];
  /** The routing for one connection, to be joined by its tag. */
  readonly single: Pieces;
  /** The routing and observatory for several connections, to be joined by the tag of the first. */
  readonly several: Pieces;
}

export interface CompiledTemplate {
  readonly mihomo: MihomoTemplate;
  readonly sing_box: SingBoxTemplate;
  readonly xray: XrayTemplate;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function requireObject(value: unknown): Json {
  if (!isObject(value)) throw fault('object');
  return value;
}

const BOUNDS = { bytes: 4 * MAX_DOCUMENT, values: MAX_DOCUMENT, depth: 32 };

function parseJson(text: string): Json {
  try {
    return requireObject(parseForeignJson(text, BOUNDS));
  } catch (error) {
    if (isTemplateFault(error)) throw error;
    // JSON is also YAML, and the YAML parser reports the position of the error.
    throw fault('syntax', describeSyntax(readDocument(text).errors));
  }
}

/** Throws TemplateFault for a text that is nested more deeply than the parser can follow. */
function readDocument(text: string): Document {
  try {
    return parseDocument(text, { prettyErrors: true, merge: true });
  } catch {
    throw fault('syntax');
  }
}

function describeSyntax([first]: readonly Error[]): string {
  return first?.message.split('\n')[0] ?? '';
}

/** Limit of aliases in a text. The parser has a limit of its own, which does not count empty collections. */
const MAX_ALIASES = 50;

function countAliases(document: Document): number {
  let count = 0;
  visit(document, {
    Alias() {
      count += 1;
    },
  });
  return count;
}

/** Throws TemplateFault for more values or levels than `BOUNDS` allows, where an alias counts as what it stands for. */
function requireBounded(value: unknown): void {
  let left = BOUNDS.values;
  const check = (one: unknown, depth: number): void => {
    left -= 1;
    if (left < 0 || depth > BOUNDS.depth) throw fault('syntax', 'too many values');
    if (typeof one === 'object' && one !== null) for (const member of Object.values(one)) check(member, depth + 1);
  };
  check(value, 0);
}

function parseYaml(text: string): Json {
  const document = readDocument(text);
  if (document.errors.length > 0) throw fault('syntax', describeSyntax(document.errors));
  if (countAliases(document) > MAX_ALIASES) throw fault('syntax', `more than ${MAX_ALIASES} aliases`);
  try {
    const value = requireObject(document.toJS({ maxAliasCount: MAX_ALIASES }));
    requireBounded(value);
    return value;
  } catch (failure) {
    if (isTemplateFault(failure)) throw failure;
    throw fault('syntax', failure instanceof Error ? failure.message : '');
  }
}

/** The objects of a list. Throws TemplateFault if `key` of one is not a unique, non-empty string. */
function readNamed(value: unknown, key: string, missing: TemplateProblem): readonly Json[] {
  if (!Array.isArray(value) || !value.every(isObject)) throw fault(missing);
  const names = value.map((one) => one[key]);
  for (const name of names) if (typeof name !== 'string' || name === '') throw fault('names');
  if (new Set(names).size < names.length) throw fault('names');
  return value;
}

const listNames = (items: readonly Json[], key: string) => items.map((one) => String(one[key]));

/** JSON, which is valid YAML once the characters that YAML does not allow in strings are escaped. */
function toFlow(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Throws TemplateFault if the placeholder is anywhere but in the list `key`, where the names of connections are a part of the list. */
function splitAtAll(text: string, one: Json, key: string): Pieces {
  const pieces = text.split(JSON.stringify(ALL));
  const { [key]: listed } = one;
  const places = Array.isArray(listed) ? listed.filter((name) => name === ALL).length : 0;
  if (pieces.length !== places + 1) throw fault('all');
  return pieces;
}
const hasAll = (items: readonly Json[], key: string) =>
  items.some((one) => Array.isArray(one[key]) && one[key].includes(ALL));

function compileMihomo(text: string): MihomoTemplate {
  const { 'proxy-groups': listed, ...rest } = parseYaml(text);
  if ('proxies' in rest) throw fault('proxies');
  const groups = readNamed(listed, 'name', 'groups');
  if (!hasAll(groups, 'proxies')) throw fault('all');
  const { rules } = rest;
  if (rules !== undefined && !(Array.isArray(rules) && rules.every((rule) => typeof rule === 'string')))
    throw fault('rules');
  const head =
    Object.keys(rest).length === 0
      ? ''
      : stringify(rest, { lineWidth: 0, defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' });
  return {
    head,
    groups: groups.map((group) => splitAtAll(toFlow(group), group, 'proxies')),
    names: listNames(groups, 'name'),
  };
}

function withoutBraces(members: object): string {
  return JSON.stringify(members).slice(1, -1);
}

function compileSingBox(text: string): SingBoxTemplate {
  const { outbounds: listed, endpoints: own = [], ...rest } = parseJson(text);
  const outbounds = readNamed(listed, 'tag', 'outbounds');
  const endpoints = readNamed(own, 'tag', 'outbounds');
  if (!hasAll(outbounds, 'outbounds')) throw fault('all');
  return {
    members: withoutBraces(rest),
    outbounds: outbounds.map((outbound) => splitAtAll(JSON.stringify(outbound), outbound, 'outbounds')),
    endpoints: endpoints.map((endpoint) => JSON.stringify(endpoint)),
    names: [...listNames(outbounds, 'tag'), ...listNames(endpoints, 'tag')],
  };
}

/** Placeholder of the tag of the first or only connection. */
const TAG_PLACE = '<tag of a connection>';
const splitAtTag = (text: string): Pieces => text.split(TAG_PLACE);
const BALANCER = 'fastest';
/** Prefix of the tags of connections, by which the balancer selects. */
export const PROXY_PREFIX = 'proxy: ';
/** Prefix of the tags of outbounds that fragment connections. */
export const FRAGMENTER_PREFIX = 'fragment: ';

const isOurs = (tag: string) => tag === PROXY_TAG || tag.startsWith(PROXY_PREFIX) || tag.startsWith(FRAGMENTER_PREFIX);

function compileXray(text: string): XrayTemplate {
  const { outbounds: listed, routing: ownRouting = {}, observatory, remarks: _, ...rest } = parseJson(text);
  const outbounds = readNamed(listed, 'tag', 'outbounds');
  const routing = requireObject(ownRouting);
  const { rules = [], balancers = [] } = routing;
  if (!Array.isArray(rules) || !rules.every(isObject) || !Array.isArray(balancers)) throw fault('rules');
  const taken = listNames(outbounds, 'tag').find(isOurs);
  if (taken !== undefined) throw fault('names', taken);
  const lead = (rule: Json, target: Json) => {
    const { outboundTag, ...others } = rule;
    return outboundTag === PROXY_TAG ? { ...others, ...target } : rule;
  };
  const single = { ...routing, rules: rules.map((rule) => lead(rule, { outboundTag: TAG_PLACE })) };
  const chosen = { balancerTag: BALANCER };
  const several = {
    ...routing,
    balancers: [
      ...balancers,
      { tag: BALANCER, selector: [PROXY_PREFIX], strategy: { type: 'leastPing' }, fallbackTag: TAG_PLACE },
    ],
    rules: [...rules.map((rule) => lead(rule, chosen)), { type: 'field', network: 'tcp,udp', ...chosen }],
  };
  const observed = observatory ?? {
    subjectSelector: [PROXY_PREFIX],
    probeUrl: 'https://www.gstatic.com/generate_204',
    probeInterval: '5m',
    enableConcurrency: true,
  };
  return {
    members: withoutBraces(rest),
    outbounds: outbounds.map((outbound) => JSON.stringify(outbound)),
    single: splitAtTag(withoutBraces({ routing: single, ...(observatory !== undefined && { observatory }) })),
    several: splitAtTag(withoutBraces({ routing: several, observatory: observed })),
  };
}

const COMPILERS: { readonly [Name in TemplateDocument]: (text: string) => CompiledTemplate[Name] } = {
  mihomo: compileMihomo,
  sing_box: compileSingBox,
  xray: compileXray,
};

/** Throws TemplateFault. */
export function compileTemplate<Name extends TemplateDocument>(document: Name, text: string): CompiledTemplate[Name] {
  return COMPILERS[document](text);
}
