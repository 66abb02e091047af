// Finds the rule of subscription links that applies to a request. A pattern costs a search for each of its parts: none can backtrack.
import type { SubscriptionRule } from '../../contract/subscription/rules.ts';

/** What a request says of its app. */
export interface AppRequest {
  readonly userAgent?: string | undefined;
  /** All headers, by lower-case name. */
  readonly allHeaders?: Readonly<Record<string, string | readonly string[] | undefined>> | undefined;
}

type Matcher = (value: string) => boolean;

interface CompiledRule {
  readonly rule: SubscriptionRule;
  readonly apps: readonly Matcher[];
  readonly requires: readonly { readonly name: string; readonly matches: Matcher }[];
}

/** No app sends more; what is behind is not compared. */
const MAX_VALUE = 500;

/** `*` stands for any characters. The parts between are looked for one after the other, each at its first place. */
export function compilePattern(pattern: string): Matcher {
  const parts = pattern.toLowerCase().split('*');
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  return (value) => {
    const text = value.slice(0, MAX_VALUE).toLowerCase();
    if (last === undefined) return text === first;
    if (!text.startsWith(first)) return false;
    let at = first.length;
    for (const part of rest) {
      const found = text.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return text.length - last.length >= at && text.endsWith(last);
  };
}

const compiled = new WeakMap<readonly SubscriptionRule[], readonly CompiledRule[]>();

/** Settings are values: a change makes another list. */
function compileRules(rules: readonly SubscriptionRule[]): readonly CompiledRule[] {
  let known = compiled.get(rules);
  if (known === undefined) {
    known = rules
      .filter(({ enabled }) => enabled)
      .map((rule) => ({
        rule,
        apps: rule.apps.map(compilePattern),
        requires: rule.requires.map(({ name, pattern }) => ({ name, matches: compilePattern(pattern) })),
      }));
    compiled.set(rules, known);
  }
  return known;
}

function isMet({ apps, requires }: CompiledRule, { userAgent, allHeaders }: AppRequest): boolean {
  if (apps.length > 0 && !(userAgent !== undefined && apps.some((matches) => matches(userAgent)))) return false;
  return requires.every(({ name, matches }) => {
    const value = allHeaders?.[name];
    if (value === undefined) return false;
    return typeof value === 'string' ? matches(value) : value.some(matches);
  });
}

/** The first rule that applies; null: none. */
export function findRule(rules: readonly SubscriptionRule[], request: AppRequest): SubscriptionRule | null {
  return compileRules(rules).find((one) => isMet(one, request))?.rule ?? null;
}
