// The questions that the shell asks by the system's own dialogs, and what their answers mean.
import type { Dialog, MessageBoxOptions } from 'electron';
import type { Refusal } from '../panel/refusal.ts';
import type { CrashNote } from './crash-note.ts';
import type { WayOut } from './host.ts';
import type { Question } from './updates.ts';
import { fill, type Words } from './words.ts';

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

export function createDialogs(dialog: Pick<Dialog, 'showMessageBox' | 'showErrorBox'>, words: () => Words): Dialogs {
  /** Answers are named by their buttons; closing the dialog means the last one. */
  async function ask<Answer extends string>(
    type: NonNullable<MessageBoxOptions['type']>,
    message: string,
    detail: string,
    buttons: readonly (readonly [Answer, string])[],
  ): Promise<Answer> {
    const { response } = await dialog.showMessageBox({
      ...{ type, message, detail, title: 'Gatehouse' },
      buttons: buttons.map(([, label]) => label),
      defaultId: 0,
      cancelId: buttons.length - 1,
      noLink: true,
    });
    return (buttons[response] ?? buttons.at(-1))?.[0] as Answer;
  }

  return {
    refused({ refusal, message }) {
      const { cannotStart, portTaken, anotherPort, anotherPortDetail, tryAgain, quit } = words();
      const isPort = refusal === 'address';
      const detail = isPort ? `${message}\n\n${anotherPortDetail}` : message;
      return ask<WayOut>('warning', isPort ? portTaken : cannotStart, detail, [
        ...(isPort ? [['another-port', anotherPort] as const] : []),
        ['again', tryAgain],
        ['quit', quit],
      ]);
    },
    closedToTray() {
      const { traySaid, traySaidDetail, keepServing, quit } = words();
      return ask('info', traySaid, traySaidDetail, [
        // Last, as sending the message away means the last one.
        ['quit', quit],
        ['keep', keepServing],
      ]);
    },
    pageFailed(reason) {
      const { rendererGone, rendererGoneDetail, reloadNow, closeWindow } = words();
      return ask('error', rendererGone, fill(rendererGoneDetail, { reason }), [
        ['reload', reloadNow],
        ['close', closeWindow],
      ]);
    },
    unresponsive() {
      const { unresponsive, unresponsiveDetail, reloadNow, wait } = words();
      return ask('warning', unresponsive, unresponsiveDetail, [
        ['reload', reloadNow],
        ['wait', wait],
      ]);
    },
    async crashed({ at, message }, log) {
      const { crashed, crashedDetail, ok } = words();
      await ask('warning', crashed, fill(crashedDetail, { at, message, log }), [['ok', ok]]);
    },
    async choose({ message, detail, buttons }) {
      const named = buttons.map((label, index) => [String(index), label] as const);
      return Number(await ask('info', message, detail, named));
    },
    fatal: (message) => dialog.showErrorBox(words().cannotStart, message),
  };
}
