// `panel url`, `panel rotate-path` and `panel openapi`: the addresses of the panel, and the OpenAPI document that contains its address.
import { writeFileSync } from 'node:fs';
import { describeSystemError, refusal } from '../adapters/refusal.ts';
import { runCommand } from '../panel/run-command.ts';
import { notify, print, printJson } from './terminal.ts';

/** Addresses that can be printed alone, such as `BASE=$(panel url base_url)`. */
export const ADDRESS_NAMES = ['panel_url', 'base_url', 'ca_file'] as const;
export type AddressName = (typeof ADDRESS_NAMES)[number];

export async function url(
  name: AddressName | undefined,
  { data, json }: { data?: string; json?: boolean },
): Promise<void> {
  const addresses = await runCommand(data, 'addresses', {});
  if (name !== undefined) {
    const address = addresses[name];
    if (address === null) throw refusal('refused', `This panel has no ${name}.`);
    return print(address);
  }
  if (json) return printJson(addresses);
  for (const each of ADDRESS_NAMES) print(`${each.padEnd(9)}  ${addresses[each] ?? 'none'}`);
}

/** Needs no password, like the other commands that recover access: only the owner can read the data folder. */
export async function rotatePath({ data, json }: { data?: string; json?: boolean }): Promise<void> {
  const { panel_url, base_url } = await runCommand(data, 'rotate-path', {});
  if (json) return printJson({ panel_url, base_url });
  print('The panel has a new secret path. The former addresses lead nowhere; bots need the new base_url.\n');
  print(`panel_url  ${panel_url}`);
  print(`base_url   ${base_url}`);
}

export async function openapi({ data, out }: { data?: string; out?: string }): Promise<void> {
  const document = await runCommand(data, 'openapi', {});
  if (out === undefined) return printJson(document);
  try {
    writeFileSync(out, `${JSON.stringify(document, null, 2)}\n`);
  } catch (error) {
    throw refusal('refused', `${out} cannot be written: ${describeSystemError(error)}.`);
  }
  notify(`Written to ${out}.`);
}
