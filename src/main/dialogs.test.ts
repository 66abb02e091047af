// The texts of the system dialogs.
import type { MessageBoxOptions } from 'electron';
import { expect, it } from 'vitest';
import { refusal } from '../adapters/refusal.ts';
import { hostTexts } from '../i18n/host.ts';
import { ownCommandName } from '../panel/command-name.ts';
import { createDialogs } from './dialogs.ts';

it('show commands as they are typed on this computer', async () => {
  const shown: MessageBoxOptions[] = [];
  const showMessageBox = async (options: unknown) => {
    shown.push(options as MessageBoxOptions);
    return { response: 0, checkboxChecked: false };
  };
  const dialogs = createDialogs({ showMessageBox }, () => hostTexts('en', 'desktop'));
  await dialogs.refused(refusal('in_use', 'Another panel (`panel serve`) uses the folder.'));
  await dialogs.failedToStart('Restore a backup with `panel restore`.');
  expect(shown.map(({ detail }) => detail)).toEqual([
    `Another panel (\`${ownCommandName()} serve\`) uses the folder.`,
    `Restore a backup with \`${ownCommandName()} restore\`.`,
  ]);
});
