// The system dialogs of the application, and their buttons. Enter presses a button that loses nothing.
import type { BrowserWindow, Dialog, MessageBoxOptions, NativeImage } from 'electron';
import { findObstacle, type Obstacle } from '../adapters/start-obstacle.ts';
import type { Versions } from '../bridge/desktop-api.ts';
import type { DesktopTexts } from '../i18n/host.ts';
import { ownCommandName, renderCommands } from '../panel/command-name.ts';
import type { StartChoice } from './host.ts';
import type { BadEnd } from './last-run.ts';
import type { Question } from './updates.ts';

export interface Dialogs {
  refused(refusal: Error): Promise<StartChoice>;
  /** Explains that the panel keeps running when the window is closed; `quit`: the user wants to quit instead. */
  closedToTray(): Promise<'keep' | 'quit'>;
  /** `parent`: the window that failed. */
  pageFailed(reason: string, parent: DialogParent): Promise<'reload' | 'close'>;
  unresponsive(parent: DialogParent): Promise<'reload' | 'wait'>;
  crashed(end: BadEnd & { readonly message: string }, log: string): Promise<void>;
  /** Resolves to the index of the button. */
  choose(question: Question): Promise<number>;
  /** `copy`: copy the versions to the clipboard. */
  about(text: string): Promise<'copy' | 'close'>;
  /** The application could not start; resolves when that was read. `log`: where the log is. */
  failedToStart(message: string, log: string): Promise<void>;
}

/** The window that a dialog belongs to, and blocks; null: none is on the screen. */
export type DialogParent = BrowserWindow | null;

export interface DialogParts {
  readonly dialog: Pick<Dialog, 'showMessageBox'>;
  texts(): DesktopTexts;
  /** The window in front. */
  parent(): DialogParent;
  /** Icon of the application, for the dialog About. */
  icon(): NativeImage | undefined;
}

/** An answer and the text of its button. */
type Button<Answer> = readonly [answer: Answer, label: string];

interface Box<Answer> {
  readonly type: NonNullable<MessageBoxOptions['type']>;
  readonly message: string;
  readonly detail: string;
  /** The last one is the answer if the dialog is closed. */
  readonly buttons: readonly Button<Answer>[];
  /** The answer to Enter: the first without it. */
  readonly enter?: Answer;
  readonly parent?: DialogParent;
  readonly icon?: NativeImage | undefined;
}

export function createDialogs({ dialog, texts, parent: findParent, icon }: DialogParts): Dialogs {
  async function ask<Answer>(box: Box<Answer>): Promise<Answer> {
    const { type, message, detail, buttons, enter, parent = findParent() } = box;
    const options: MessageBoxOptions = {
      type,
      message,
      detail,
      title: 'Gatehouse',
      buttons: buttons.map(([, label]) => label),
      defaultId: Math.max(
        0,
        buttons.findIndex(([answer]) => answer === enter),
      ),
      cancelId: buttons.length - 1,
      noLink: true,
      ...(box.icon && { icon: box.icon }),
    };
    const { response } = await (parent === null
      ? dialog.showMessageBox(options)
      : dialog.showMessageBox(parent, options));
    return (buttons[response] ?? buttons.at(-1))?.[0] as Answer;
  }

  return {
    refused(refusal) {
      const t = texts();
      const others: readonly Button<StartChoice>[] = [
        ['retry', t('tryAgain')],
        ['quit', t('quit')],
      ];
      const obstacle = findObstacle(refusal);
      const detail = describeFailure(refusal, t);
      if (!OTHER_PORT_HELPS.includes(obstacle?.kind)) {
        return ask({ type: 'warning', message: t('cannotStart'), detail, buttons: others });
      }
      return ask({
        type: 'warning',
        message: t('portTaken'),
        detail: `${detail}\n\n${t('anotherPortDetail')}`,
        buttons: [['another-port', t('anotherPort')], ...others],
      });
    },
    closedToTray() {
      const t = texts();
      return ask({
        type: 'info',
        message: t('closedToTray'),
        detail: t('closedToTrayDetail'),
        buttons: [
          ['quit', t('quit')],
          ['keep', t('keepServing')],
        ],
        enter: 'keep',
      });
    },
    pageFailed(reason, parent) {
      const t = texts();
      return ask({
        type: 'error',
        message: t('rendererGone'),
        detail: t('rendererGoneDetail', { reason }),
        // Input of the page is lost already.
        buttons: [
          ['reload', t('reloadNow')],
          ['close', t('closeWindow')],
        ],
        parent,
      });
    },
    unresponsive(parent) {
      const t = texts();
      return ask({
        type: 'warning',
        message: t('unresponsive'),
        detail: t('unresponsiveDetail'),
        buttons: [
          ['reload', t('reloadNow')],
          ['wait', t('wait')],
        ],
        enter: 'wait',
        parent,
      });
    },
    async crashed({ at, message }, log) {
      const t = texts();
      const detail = t('crashedDetail', { at, message: renderCommands(message), log });
      await ask({ type: 'warning', message: t('crashed'), detail, buttons: [['ok', t('ok')]] });
    },
    choose({ message, detail, buttons, enter = 0 }) {
      return ask({
        type: 'info',
        message,
        detail,
        buttons: buttons.map((label, index) => [index, label] as const),
        enter,
      });
    },
    about(text) {
      const t = texts();
      return ask({
        type: 'info',
        message: 'Gatehouse',
        detail: text,
        buttons: [
          ['copy', t('copy')],
          ['close', t('ok')],
        ],
        enter: 'close',
        icon: icon(),
      });
    },
    async failedToStart(message, log) {
      const t = texts();
      const detail = t('unexpected', { message: renderCommands(message), log });
      await ask({ type: 'error', message: t('cannotStart'), detail, buttons: [['quit', t('quit')]] });
    },
  };
}

const OTHER_PORT_HELPS: readonly unknown[] = ['portTaken', 'portForbidden'] satisfies readonly Obstacle['kind'][];

/** Error codes of the system and the database that have a text. */
const CODES = [
  'EACCES',
  'EPERM',
  'ENOSPC',
  'EROFS',
  'ENOENT',
  'ENOTDIR',
  'EIO',
  'EMFILE',
  'newer',
  'diverged',
  'foreign',
  'damaged',
  'unfinished',
] as const;

/** Why the panel does not start, in the language of the interface; the message of an unexpected error is unchanged. */
export function describeFailure(error: unknown, t: DesktopTexts): string {
  const obstacle = findObstacle(error);
  if (obstacle === null) return renderCommands(error instanceof Error ? error.message : String(error));
  const known = CODES.find((code) => code === obstacle.code);
  const reason = known === undefined ? obstacle.reason : t(`system.${known}`);
  return t(`obstacle.${obstacle.kind}`, { ...obstacle.facts, reason, panel: ownCommandName() });
}

/** The text of the dialog About. */
export function describeVersions({ app, electron, chromium, node }: Versions, t: DesktopTexts): string {
  const lines = [
    t('version', { version: app }),
    `Electron ${electron}, Chromium ${chromium}, Node.js ${node}`,
    COPYRIGHT,
  ];
  return lines.join('\n');
}

const COPYRIGHT = '© 2026 Gatehouse';
