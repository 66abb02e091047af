// Writes HTML so that no text can become markup: every value is escaped unless it is markup made here.

export interface Html {
  readonly markup: string;
}

export type Content = Html | string | number | null | false | readonly Content[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as it may stand between tags and in quoted attributes. */
export function escapeText(text: string): string {
  return text.toWellFormed().replace(/[&<>"']/g, (char) => ENTITIES[char] ?? '');
}

/** Markup with its values escaped; attributes must be quoted. null and false leave nothing. */
export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Html {
  let markup = parts[0] ?? '';
  for (const [index, value] of values.entries()) markup += textOf(value) + (parts[index + 1] ?? '');
  return { markup };
}

function textOf(value: Content): string {
  if (value === null || value === false) return '';
  if (typeof value === 'string' || typeof value === 'number') return escapeText(String(value));
  return 'markup' in value ? value.markup : value.map(textOf).join('');
}
