// Converts a rule to the values of its form and back. In the form, lists are text with one pattern or header on each line.
import { type SubscriptionRule, subscriptionRule } from '../../../../../contract/subscription/rules.ts';

export interface RuleValues extends Record<string, unknown> {
  readonly name: string;
  readonly apps: string;
  readonly requires: string;
  readonly action: SubscriptionRule['action'];
  /** Empty: chosen by the app. */
  readonly format: string;
  /** Empty: the user's template. */
  readonly template: string;
  readonly text: string;
  readonly headers: string;
}

export const EMPTY_RULE: RuleValues = {
  name: '',
  apps: '',
  requires: '',
  action: 'serve',
  format: '',
  template: '',
  text: '',
  headers: '',
};

function splitLines(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
}

/** Parses `name: value`. The name becomes lower case, because the panel compares lower-case names. */
function parsePair(line: string): readonly [name: string, value: string] {
  const colon = line.indexOf(':');
  const name = colon < 0 ? line : line.slice(0, colon);
  return [name.trim().toLowerCase(), colon < 0 ? '' : line.slice(colon + 1).trim()];
}

export function toValues({
  name,
  apps,
  requires,
  action,
  format,
  template,
  text,
  headers,
}: SubscriptionRule): RuleValues {
  return {
    name,
    apps: apps.join('\n'),
    requires: requires.map((one) => `${one.name}: ${one.pattern}`).join('\n'),
    action,
    format: format ?? '',
    template: template ?? '',
    text,
    headers: headers.map((one) => `${one.name}: ${one.value}`).join('\n'),
  };
}

export function toRule(
  values: RuleValues,
  { id, enabled }: Pick<SubscriptionRule, 'id' | 'enabled'>,
): SubscriptionRule {
  return {
    id,
    enabled,
    name: values.name.trim(),
    apps: [...splitLines(values.apps)],
    requires: splitLines(values.requires).map((line) => {
      const [name, pattern] = parsePair(line);
      return { name, pattern };
    }),
    action: values.action,
    format: values.format === '' ? null : (values.format as SubscriptionRule['format']),
    template: values.template === '' ? null : values.template,
    text: values.text.trim(),
    headers: splitLines(values.headers).map((line) => {
      const [name, value] = parsePair(line);
      return { name, value };
    }),
  };
}

export type WrongField = 'name' | 'apps' | 'requires' | 'text' | 'headers';

/** Fields of the form that the contract refuses. */
export function findWrongFields(rule: SubscriptionRule): readonly WrongField[] {
  const { error } = subscriptionRule.safeParse(rule);
  return [...new Set(error?.issues.map(({ path }) => path[0] as WrongField))];
}

/** An id that no rule has. */
export function nextRuleId(rules: readonly SubscriptionRule[]): number {
  return 1 + Math.max(0, ...rules.map(({ id }) => id));
}
