// The questions that the shell asks by the system's own dialogs, and what their answers mean.
import type { Dialog, MessageBoxOptions } from 'electron';
import type { DesktopTexts } from '../i18n/host.ts';
import type { Refusal } from '../panel/refusal.ts';
import type { CrashNote } from './crash-note.ts';
import type { WayOut } from './host.ts';
import type { Question } from './updates.ts';

export interface Dialogs {
  refused(refusal: Refusal): Promise<WayOut>;
  /** That a closed window leaves the panel serving; `quit`: rather not. */
  closedToTray(): Promise<'keep' | 'quit'>;
  pageFailed(reason: string): Promise<'reload' | 'close'>;
  unresponsive(): Promise<'reload' | 'wait'>;
  crashed(note: CrashNote, log: string): Promise<void>;
  /** Resolves to the index of the button. */
  choose(question: Question): Promise<number>;
  /** It cannot go on; the sentence for a person. */
  fatal(message: string): void;
}

export function createDialogs(
  dialog: Pick<Dialog, 'showMessageBox' | 'showErrorBox'>,
  texts: () => DesktopTexts,
): Dialogs {
  /** Answers are named by their buttons; closing the dialog means the last one. */
  async function ask<Answer extends string>(
    type: NonNullable<MessageBoxOptions['type']>,
    message: string,
    detail: string,
    buttons: readonly (readonly [Answer, string])[],
  ): Promise<Answer> {
    const { response } = await dialog.showMessageBox({
      type,
      message,
      detail,
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
        ['again', t('tryAgain')],
        ['quit', t('quit')],
      ] as const;
      if (refusal !== 'address') return ask<WayOut>('warning', t('cannotStart'), message, others);
      const detail = `${message}\n\n${t('anotherPortDetail')}`;
      return ask<WayOut>('warning', t('portTaken'), detail, [['another-port', t('anotherPort')], ...others]);
    },
    closedToTray() {
      const t = texts();
      return ask('info', t('closedToTray'), t('closedToTrayDetail'), [
        // Last, because closing the message means the last one.
        ['quit', t('quit')],
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
      const named = buttons.map((label, index) => [String(index), label] as const);
      return Number(await ask('info', message, detail, named));
    },
    fatal: (message) => dialog.showErrorBox(texts()('cannotStart'), message),
  };
}
