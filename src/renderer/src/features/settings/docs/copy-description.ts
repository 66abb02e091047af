// The copy of the API's description that is drawn. Examples of filters stand in words there: as values they would be filled in, and sent.

interface Parameter {
  readonly in?: string;
  readonly required?: boolean;
  description?: string;
  example?: unknown;
  readonly schema?: { readonly description?: string };
}

interface Described {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, { readonly parameters?: readonly Parameter[] }>>>>;
}

/** `document`: OpenAPI; it stays as it is. */
export function copyDescription(document: object): object {
  const copy: Described & object = structuredClone(document);
  for (const path of Object.values(copy.paths ?? {})) {
    for (const { parameters = [] } of Object.values(path)) for (const one of parameters) inWords(one);
  }
  return copy;
}

function inWords(parameter: Parameter): void {
  const { in: where, required = false, example, schema } = parameter;
  const texts = [parameter.description ?? schema?.description];
  if (where === 'query' && !required && example !== undefined) {
    texts.push(`Example: \`${String(example)}\`.`);
    delete parameter.example;
  }
  const text = texts.filter((one) => one !== undefined).join(' ');
  if (text !== '') parameter.description = text;
}
