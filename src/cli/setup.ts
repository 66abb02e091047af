// `panel setup`: makes the administrator in the terminal, or a link to do it in a browser.
import { perform } from '../panel/perform.ts';
import { refusal } from '../panel/refusal.ts';
import { askNewPassword, print, printJson } from './terminal.ts';

/** The one command that may make a data folder: an administrator can be made before the first start. */
const FOUNDS = { mayCreate: true };

export type SetupOptions = { readonly data?: string; readonly name?: string; readonly json?: boolean };

export async function setup({ data, name, json }: SetupOptions): Promise<void> {
  if (name === undefined) await printLink(data, json);
  else await makeAdministrator(data, name, json);
}

async function printLink(data: string | undefined, json = false): Promise<void> {
  const { link } = await perform(data, 'setup-link', {}, FOUNDS);
  if (link === null) throw alreadySetUp();
  if (json) return printJson({ link });
  print('Open this link within an hour to make the administrator. It works once; an older one works no more.\n');
  print(`  ${link}\n`);
}

async function makeAdministrator(data: string | undefined, name: string, json = false): Promise<void> {
  const isSetUp = await perform(data, 'is-set-up', {}, FOUNDS);
  if (isSetUp) throw alreadySetUp();
  const made = await perform(data, 'set-up', { name, password: await askNewPassword() }, FOUNDS);
  if (json) printJson(made);
  else
    print(`The administrator ${made.name} is made. Next, a key for the API: panel key add --name <name> --access full`);
}

function alreadySetUp(): Error {
  return refusal(
    'refused',
    'There is an administrator already. A forgotten password is replaced by `panel reset-password`.',
  );
}
