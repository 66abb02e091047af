// `panel url`: where the panel and its API are, for people and for scripts.
import { perform } from '../panel/perform.ts';
import { refusal } from '../panel/refusal.ts';
import { print, printJson } from './terminal.ts';

/** What can be asked for alone, as in `BASE=$(panel url base_url)`. */
export const ADDRESS_NAMES = ['panel_url', 'base_url', 'ca_file'] as const;
export type AddressName = (typeof ADDRESS_NAMES)[number];

export async function url(
  name: AddressName | undefined,
  { data, json }: { data?: string; json?: boolean },
): Promise<void> {
  const addresses = await perform(data, 'addresses', {});
  if (name !== undefined) return printAlone(name, addresses[name]);
  if (json) return printJson(addresses);
  for (const each of ADDRESS_NAMES) print(`${each.padEnd(9)}  ${addresses[each] ?? 'none'}`);
}

function printAlone(name: AddressName, value: string | null): void {
  if (value === null) throw refusal('refused', `This panel has no ${name}.`);
  print(value);
}
