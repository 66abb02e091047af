// `panel openapi`: the OpenAPI document with this panel's address, for generators and documentation tools.
import { writeFileSync } from 'node:fs';
import { perform } from '../panel/perform.ts';
import { reasonOf, refusal } from '../panel/refusal.ts';
import { printJson, say } from './terminal.ts';

export async function openapi({ data, out }: { data?: string; out?: string }): Promise<void> {
  const document = await perform(data, 'openapi', {});
  if (out === undefined) return printJson(document);
  try {
    writeFileSync(out, `${JSON.stringify(document, null, 2)}\n`);
  } catch (error) {
    throw refusal('refused', `${out} cannot be written: ${reasonOf(error)}.`);
  }
  say(`Written to ${out}.`);
}
