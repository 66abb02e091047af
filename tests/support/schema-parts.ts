// The parts of a schema that a message may have or not, and which of them messages had.

import type { z } from 'zod';
import * as zod from 'zod';

type Schema = z.core.$ZodType;

const NULL = ' null';
const VALUE = ' value';

/** A path for each member, item and form that a message can have; a member that can be null has two. */
export function listParts(schema: Schema, path: string): readonly string[] {
  const { def } = schema._zod;
  switch (def.type) {
    case 'object':
      return Object.entries((schema as z.ZodObject).shape).flatMap(([name, member]) =>
        listParts(member, `${path}.${name}`),
      );
    case 'optional':
    case 'default':
    case 'catch':
      return [path + VALUE, ...listParts(getInner(schema), path)];
    case 'nullable':
      return [path + NULL, path + VALUE, ...listParts(getInner(schema), path)];
    case 'array':
      return [`${path}[]`, ...listParts((schema as z.ZodArray)._zod.def.element, `${path}[]`)];
    case 'tuple':
      return getItems(schema).flatMap((item, index) => listParts(item, `${path}.${index}`));
    case 'union':
      return listOptions(schema).flatMap((option, index) => [
        `${path}|${index}`,
        ...listParts(option, `${path}|${index}`),
      ]);
    default:
      return [];
  }
}

/** Those that a value of the schema has. */
export function partsIn(schema: Schema, value: unknown, path: string): readonly string[] {
  const { def } = schema._zod;
  switch (def.type) {
    case 'object':
      return Object.entries((schema as z.ZodObject).shape).flatMap(([name, member]) =>
        partsIn(member, (value as Readonly<Record<string, unknown>>)[name], `${path}.${name}`),
      );
    case 'optional':
    case 'default':
    case 'catch':
      return value === undefined ? [] : [path + VALUE, ...partsIn(getInner(schema), value, path)];
    case 'nullable':
      return value === null ? [path + NULL] : [path + VALUE, ...partsIn(getInner(schema), value, path)];
    case 'array':
      return (value as readonly unknown[]).flatMap((item) => [
        `${path}[]`,
        ...partsIn((schema as z.ZodArray)._zod.def.element, item, `${path}[]`),
      ]);
    case 'tuple':
      return getItems(schema).flatMap((item, index) =>
        partsIn(item, (value as readonly unknown[])[index], `${path}.${index}`),
      );
    case 'union': {
      const index = listOptions(schema).findIndex((option) => zod.safeParse(option, value).success);
      const option = listOptions(schema)[index];
      return option ? [`${path}|${index}`, ...partsIn(option, value, `${path}|${index}`)] : [];
    }
    default:
      return [];
  }
}

function getInner(schema: Schema): Schema {
  return (schema as z.ZodOptional)._zod.def.innerType;
}

function getItems(schema: Schema): readonly Schema[] {
  return (schema as z.ZodTuple)._zod.def.items;
}

function listOptions(schema: Schema): readonly Schema[] {
  return (schema as z.ZodUnion)._zod.def.options;
}
