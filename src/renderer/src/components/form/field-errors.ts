// Errors of a form by field: found by the contract's schemas before sending, or reported by the panel.
import type { TFunction } from 'i18next';
import type { z } from 'zod';
import type { PanelCallError } from '../../../../contract/client.ts';
import { ERRORS, type FieldError } from '../../../../contract/errors.ts';
import { splitInput } from '../../../../contract/input/input.ts';
import { OPERATIONS, type OperationId } from '../../../../contract/table.ts';

/** Texts by field: the first member of the error's path, with the contract's name. */
export type FieldTexts = Record<string, string>;

type Issue = z.core.$ZodIssue;
type T = TFunction<'errors'>;

/** A form's own text for an error of a field, by the panel's code and its own words; undefined leaves the usual text. */
export type DescribeField = (field: string, code: string, message?: string) => string | undefined;

/** All errors that the contract's schema finds in an input; empty: it can be sent. */
export function wrongFields(t: T, id: OperationId, input: unknown, describe?: DescribeField): FieldTexts {
  const texts: FieldTexts = {};
  for (const issue of listIssues(id, input)) {
    const names = issue.code === 'unrecognized_keys' ? issue.keys : [String(issue.path[0] ?? '')];
    const own = (name: string) => (isFormat(issue, input) ? describe?.(name, 'format') : undefined);
    for (const name of names) texts[name] ??= own(name) ?? describeIssue(t, issue, input);
  }
  return texts;
}

function listIssues(id: OperationId, input: unknown): readonly Issue[] {
  const operation = OPERATIONS[id];
  if (operation.door === 'panel') return operation.input.safeParse(input).error?.issues ?? [];
  const { params, query, body } = splitInput(operation, input);
  const parts: readonly (readonly [z.ZodType | null, unknown])[] = [
    [operation.params, params],
    [operation.query, query],
    [operation.body, body],
  ];
  return parts.flatMap(([schema, value]) => schema?.safeParse(value).error?.issues ?? []);
}

function isFormat(issue: Issue, input: unknown): boolean {
  return issue.code === 'invalid_format' && !isMissing(input, issue.path);
}

function describeIssue(t: T, issue: Issue, input: unknown): string {
  if (isMissing(input, issue.path)) return t('field.required');
  switch (issue.code) {
    case 'too_small':
      return describeBound(t, issue.origin, Number(issue.minimum), {
        string: 'shortest',
        array: 'fewest',
        other: 'min',
      });
    case 'too_big':
      return describeBound(t, issue.origin, Number(issue.maximum), { string: 'longest', array: 'most', other: 'max' });
    case 'invalid_type':
      return t(issue.expected === 'int' || issue.expected === 'number' ? 'field.integer' : 'field.type');
    case 'invalid_format':
      return t(issue.format === 'url' ? 'field.url' : issue.format === 'datetime' ? 'field.moment' : 'field.format');
    case 'custom':
      return ownRule(t, issue.message);
    case 'unrecognized_keys':
      return t('field.unknown');
    default:
      return t('field.invalid');
  }
}

interface BoundKeys {
  readonly string: 'shortest' | 'longest';
  readonly array: 'fewest' | 'most';
  readonly other: 'min' | 'max';
}

function describeBound(t: T, origin: string, amount: number, keys: BoundKeys): string {
  if (origin === 'string') return t(`field.${keys.string}`, { count: amount });
  if (origin === 'array') return t(`field.${keys.array}`, { count: amount });
  return t(`field.${keys.other}`, { bound: amount });
}

/** Rules that scalars.ts adds to zod's, by their message. */
function ownRule(t: T, message: string): string {
  if (message.includes('blank')) return t('field.blank');
  if (message.includes('control characters')) return t('field.control');
  if (message.includes('repeat')) return t('field.repeated');
  return message.includes('between 1970') ? t('field.moment') : t('field.invalid');
}

/** Whether the value is missing: then the text says to fill the field, rather than that it is too short. */
function isMissing(input: unknown, path: readonly PropertyKey[]): boolean {
  let value = input;
  for (const member of path) value = (value as Record<PropertyKey, unknown> | null | undefined)?.[member];
  return path.length > 0 && (value === undefined || value === '');
}

/** The panel's errors of single fields; other failures are shown for the whole form. */
export function refusedFields(t: T, failure: PanelCallError, describe?: DescribeField): FieldTexts {
  const texts: FieldTexts = {};
  for (const error of failure.errors) {
    const name = findField(error);
    if (name !== null) texts[name] ??= describe?.(name, error.code, error.message) ?? refusal(t, failure, error);
  }
  return texts;
}

const FIELD_CODES = [
  'required',
  'unknown',
  'type',
  'format',
  'invalid',
  'taken',
  'inconsistent',
  'not_served',
  'key_mismatch',
] as const;

function refusal(t: T, { code }: PanelCallError, error: FieldError): string {
  if (code !== 'validation' && code in ERRORS) return t(`code.${code}`);
  const known = FIELD_CODES.find((one) => one === error.code);
  // Bounds have only the panel's own text: they get here only if the panel's rules are newer than this page.
  return known === undefined ? error.message : t(`field.${known}`);
}

/** The field of an error: the first member of its pointer, or the parameter's name. */
export function findField({ pointer, parameter }: FieldError): string | null {
  if (parameter !== undefined) return parameter;
  const first = /^#\/([^/]+)/.exec(pointer ?? '')?.[1];
  return first === undefined ? null : decodeURIComponent(first).replaceAll('~1', '/').replaceAll('~0', '~');
}
