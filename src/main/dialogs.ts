// The system dialogs of the application, and what their buttons mean.
import type { Dialog, MessageBoxOptions } from 'electron';
import type { Refusal } from '../adapters/refusal.ts';
import type { DesktopTexts } from '../i18n/host.ts';
import { renderCommands } from '../panel/command-name.ts';
import type { StartChoice } from './host.ts';
import type { BadEnd } from './last-run.ts';
import type { Question } from './updates.ts';

export interface Dialogs {
  refused(refusal: Refusal): Promise<StartChoice>;
  /** Explains that the panel keeps running after the window is closed; `quit`: the user wants to quit instead. */
  closedToTray(): Promise<'keep' | 'quit'>;
  pageFailed(reason: string): Promise<'reload' | 'close'>;
  unresponsive(): Promise<'reload' | 'wait'>;
  crashed(end: BadEnd & { readonly message: string }, log: string): Promise<void>;
  /** Resolves to the index of the button. */
  choose(question: Question): Promise<number>;
  /** The application could not start; resolves when that was read. */
  failedToStart(message: string): Promise<void>;
}

export function createDialogs(dialog: Pick<Dialog, 'showMessageBox'>, texts: () => DesktopTexts): Dialogs {
  /** Each button has the answer that it stands for; closing the dialog is the last one. */
  async function ask<Answer extends string>(
    type: NonNullable<MessageBoxOptions['type']>,
    message: string,
    detail: string,
    buttons: readonly (readonly [Answer, string])[],
  ): Promise<Answer> {
    const { response } = await dialog.showMessageBox({
      type,
      message,
      detail: renderCommands(detail),
      title: 'Gatehouse',
      buttons: buttons.map(([, label]) => label),
      defaultId: 0,
      cancelId: buttons.length - 1,
      noLink: true,
    });
    return (buttons[response] ?? buttons.at(-1))?.[0] as Answer;
  }

  return {
    refused({ refusal, message }) {
      const t = texts();
      const others = [
        ['retry', t('tryAgain')],
        ['quit', t('quit')],
      ] as const;
      if (refusal !== 'address') return ask<StartChoice>('warning', t('cannotStart'), message, others);
      const detail = `${message}\n\n${t('anotherPortDetail')}`;
      return ask<StartChoice>('warning', t('portTaken'), detail, [['another-port', t('anotherPort')], ...others]);
    },
    closedToTray() {
      const t = texts();
      return ask('info', t('closedToTray'), t('closedToTrayDetail'), [
        ['quit', t('quit')],
        // Last, because that is the answer if the dialog is closed.
        ['keep', t('keepServing')],
      ]);
    },
    pageFailed(reason) {
      const t = texts();
      return ask('error', t('rendererGone'), t('rendererGoneDetail', { reason }), [
        ['reload', t('reloadNow')],
        ['close', t('closeWindow')],
      ]);
    },
    unresponsive() {
      const t = texts();
      return ask('warning', t('unresponsive'), t('unresponsiveDetail'), [
        ['reload', t('reloadNow')],
        ['wait', t('wait')],
      ]);
    },
    async crashed({ at, message }, log) {
      const t = texts();
      await ask('warning', t('crashed'), t('crashedDetail', { at, message, log }), [['ok', t('ok')]]);
    },
    async choose({ message, detail, buttons }) {
      const buttonTexts = buttons.map((label, index) => [String(index), label] as const);
      return Number(await ask('info', message, detail, buttonTexts));
    },
    async failedToStart(message) {
      const t = texts();
      await ask('error', t('cannotStart'), message, [['quit', t('quit')]]);
    },
  };
}
