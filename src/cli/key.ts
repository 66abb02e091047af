// `panel key …`: API keys from the terminal. Making one asks for the administrator's password, as the panel does.
import type { Key } from '../contract/keys.ts';
import { PanelError } from '../core/panel-error.ts';
import { perform } from '../panel/perform.ts';
import { refusal } from '../panel/refusal.ts';
import { askProof, print, printJson, say, tableOf } from './terminal.ts';

type Common = { readonly data?: string; readonly json?: boolean };
export type KeyAddOptions = Common & {
  readonly name: string;
  readonly access: 'read' | 'full';
  readonly expires: 'never' | '30' | '90' | '365';
  readonly keyFile?: string;
};

/** The key alone goes to stdout, so that a script can keep it: `KEY=$(panel key add …)`. */
export async function keyAdd({ data, name, access, expires, json, keyFile }: KeyAddOptions): Promise<void> {
  const expires_in_days = EXPIRY[expires];
  const proof = await askProof(await perform(data, 'has-second-factor', {}));
  const made = await perform(
    data,
    'key-add',
    { name, access, expires_in_days, ...proof },
    { keyFile: keyFile ?? null },
  );
  if (json) return printJson(made);
  say(`The key ${made.key.id} (${describe(made.key)}). It is shown now and never again:`);
  print(made.value);
}

const EXPIRY = { never: null, '30': 30, '90': 90, '365': 365 } as const;

export async function keyList({ data, json }: Common): Promise<void> {
  const { items } = await perform(data, 'key-list', {});
  if (json) return printJson(items);
  if (items.length === 0) return say('There is no key. Make one with `panel key add --name <name> --access full`.');
  const rows = items.map((key) => [
    ...[String(key.id), key.name, key.access, key.state, `${key.prefix}…`],
    ...[dayOf(key.expires_at), momentOf(key.last_used_at)],
  ]);
  print(tableOf(['ID', 'NAME', 'ACCESS', 'STATE', 'KEY', 'EXPIRES', 'LAST USED'], rows));
}

export async function keyRevoke(id: number, { data, json }: Common): Promise<void> {
  const key = await perform(data, 'key-revoke', { id }).catch((error: unknown) => {
    if (error instanceof PanelError && error.code === 'not_found') {
      throw refusal('refused', `There is no key ${id}. \`panel key list\` shows those there are.`);
    }
    throw error;
  });
  if (json) printJson(key);
  else print(`The key ${key.id} (${key.name}) is revoked: it is refused from the next request on.`);
}

function describe({ name, access, expires_at }: Key): string {
  return `${name}, ${access} access, ${expires_at === null ? 'valid until revoked' : `valid until ${dayOf(expires_at)}`}`;
}

const dayOf = (instant: string | null) => instant?.slice(0, 10) ?? 'never';
const momentOf = (instant: string | null) =>
  instant === null ? 'never' : `${instant.slice(0, 16).replace('T', ' ')} UTC`;
