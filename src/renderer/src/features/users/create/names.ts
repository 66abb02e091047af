// Names pasted for many new users: one a line; behind a tab, as spreadsheets copy it, the contact.

export interface NewName {
  readonly name: string;
  readonly contact: string;
}

export function parseNames(text: string): readonly NewName[] {
  return text
    .split(/\r\n|\n|\r/)
    .map((line) => line.split('\t').map((part) => part.trim()))
    .flatMap(([name = '', contact = '']) => (name === '' && contact === '' ? [] : [{ name, contact }]));
}

/** Back to lines: what is still to be done after some failed. */
export function toLines(names: readonly NewName[]): string {
  return names.map(({ name, contact }) => (contact === '' ? name : `${name}\t${contact}`)).join('\n');
}
