// `panel key …`: API keys from the terminal. Creating one requires the administrator's password, as in the panel.

import { refusal } from '../adapters/refusal.ts';
import type { Key } from '../contract/access/keys.ts';
import { PanelError } from '../core/kernel/panel-error.ts';
import { runCommand } from '../panel/run-command.ts';
import { askProof, formatTable, notify, print, printJson } from './terminal.ts';

type Common = { readonly data?: string; readonly json?: boolean };
export type KeyAddOptions = Common & {
  readonly name: string;
  readonly access: 'read' | 'full';
  readonly expires: 'never' | '30' | '90' | '365';
  readonly keyFile?: string;
};

/** Only the key goes to stdout, for scripts: `KEY=$(panel key add …)`. */
export async function keyAdd({ data, name, access, expires, json, keyFile }: KeyAddOptions): Promise<void> {
  const expires_in_days = EXPIRY[expires];
  const proof = await askProof(await runCommand(data, 'has-second-factor', {}));
  const made = await runCommand(
    data,
    'key-add',
    { name, access, expires_in_days, ...proof },
    { keyFile: keyFile ?? null },
  );
  if (json) return printJson(made);
  notify(`The key ${made.key.id} (${describe(made.key)}). It is shown now and never again:`);
  print(made.value);
}

const EXPIRY = { never: null, '30': 30, '90': 90, '365': 365 } as const;

export async function keyList({ data, json }: Common): Promise<void> {
  const { items } = await runCommand(data, 'key-list', {});
  if (json) return printJson(items);
  if (items.length === 0) return notify('There is no key. Make one with `panel key add --name <name> --access full`.');
  const rows = items.map((key) => [
    String(key.id),
    key.name,
    key.access,
    key.state,
    `${key.prefix}…`,
    formatDay(key.expires_at),
    formatMinute(key.last_used_at),
  ]);
  print(formatTable(['ID', 'NAME', 'ACCESS', 'STATE', 'KEY', 'EXPIRES', 'LAST USED'], rows));
}

export async function keyRevoke(id: number, { data, json }: Common): Promise<void> {
  const key = await runCommand(data, 'key-revoke', { id }).catch((error: unknown) => {
    if (error instanceof PanelError && error.code === 'not_found') {
      throw refusal('refused', `There is no key ${id}. \`panel key list\` shows those there are.`);
    }
    throw error;
  });
  if (json) printJson(key);
  else print(`The key ${key.id} (${key.name}) is revoked: it is refused from the next request on.`);
}

function describe({ name, access, expires_at }: Key): string {
  return `${name}, ${access} access, ${expires_at === null ? 'valid until revoked' : `valid until ${formatDay(expires_at)}`}`;
}

const formatDay = (instant: string | null) => instant?.slice(0, 10) ?? 'never';
const formatMinute = (instant: string | null) =>
  instant === null ? 'never' : `${instant.slice(0, 16).replace('T', ' ')} UTC`;
