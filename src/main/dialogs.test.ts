// The system dialogs: their language, what Enter does in each, the window that each belongs to.
import type { BrowserWindow, MessageBoxOptions } from 'electron';
import { describe, expect, it } from 'vitest';
import { refusal } from '../adapters/refusal.ts';
import { type ObstacleKind, startRefusal } from '../adapters/start-obstacle.ts';
import { hostTexts } from '../i18n/host.ts';
import type { Language } from '../i18n/languages.ts';
import { ownCommandName } from '../panel/command-name.ts';
import { databaseRefusal } from '../store/database.ts';
import { createDialogs, type Dialogs, describeFailure, describeVersions } from './dialogs.ts';

const WINDOW = {} as BrowserWindow;
const FAILED = {} as BrowserWindow;

/** The dialogs, each answered by Enter, and their contents. */
function openDialogs(language: Language = 'en', parent: BrowserWindow | null = WINDOW) {
  const shown: { readonly options: MessageBoxOptions; readonly parent: unknown }[] = [];
  const showMessageBox = async (...given: unknown[]) => {
    const options = given.at(-1) as MessageBoxOptions;
    shown.push({ options, parent: given.length === 2 ? given[0] : null });
    return { response: options.defaultId ?? 0, checkboxChecked: false };
  };
  const dialogs = createDialogs({
    dialog: { showMessageBox },
    texts: () => hostTexts(language, 'desktop'),
    parent: () => parent,
    icon: () => undefined,
  });
  return { dialogs, shown };
}

const portTaken = startRefusal('portTaken', { host: '127.0.0.1', port: 8443 });

/** How each dialog is opened, and the answer to Enter, which must not lose anything. */
const DIALOGS: { readonly [Name in keyof Dialogs]: readonly [(all: Dialogs) => Promise<unknown>, unknown] } = {
  refused: [(all) => all.refused(portTaken), 'another-port'],
  closedToTray: [(all) => all.closedToTray(), 'keep'],
  pageFailed: [(all) => all.pageFailed('crashed', FAILED), 'reload'],
  unresponsive: [(all) => all.unresponsive(FAILED), 'wait'],
  crashed: [(all) => all.crashed({ at: 'today', message: 'a defect' }, '/log'), undefined],
  choose: [(all) => all.choose({ message: 'm', detail: 'd', buttons: ['Restart now', 'When I quit'], enter: 1 }), 1],
  about: [(all) => all.about('Version 1'), 'close'],
  failedToStart: [(all) => all.failedToStart('a defect', '/log'), undefined],
};

describe.each(Object.entries(DIALOGS))('%s', (name, [open, entered]) => {
  it('is answered by Enter without a loss', async () => {
    expect(await open(openDialogs().dialogs)).toBe(entered);
  });

  it('belongs to its window', async () => {
    const { dialogs, shown } = openDialogs();
    await open(dialogs);
    expect(shown.map(({ parent }) => parent === (/pageFailed|unresponsive/.test(name) ? FAILED : WINDOW))).toEqual([
      true,
    ]);
  });

  it('is shown alone where there is no window', async () => {
    const { dialogs, shown } = openDialogs('en', null);
    await open(dialogs);
    expect(shown).toHaveLength(1);
  });
});

const FACTS = {
  folder: '/data',
  path: '/data/x',
  host: '10.0.0.9',
  port: 80,
  network: 'NFS',
  pid: 7,
  command: 'serve',
};
const KINDS = Object.keys({
  folderIsFile: 0,
  folderUnusable: 0,
  folderLocked: 0,
  folderOnNetwork: 0,
  folderForeign: 0,
  folderLinked: 0,
  folderOfOther: 0,
  folderOpen: 0,
  pathUnusable: 0,
  diskFull: 0,
  inUse: 0,
  inUseByCommand: 0,
  inUseByDesktop: 0,
  databaseMissing: 0,
  databaseUnusable: 0,
  markDamaged: 0,
  portTaken: 0,
  portForbidden: 0,
  addressForeign: 0,
  addressUnusable: 0,
} satisfies Record<ObstacleKind, 0>) as ObstacleKind[];

const denied = Object.assign(new Error('EACCES: permission denied, open'), { code: 'EACCES' });

describe.each(KINDS)('the refusal %s', (kind) => {
  it('has no option of the command line, and every fact', () => {
    const text = describeFailure(startRefusal(kind, FACTS, denied), hostTexts('en', 'desktop'));
    // Commands of the terminal may contain options.
    expect(text.replace(/`[^`]+`/g, '')).not.toMatch(/--\w|\{\{|obstacle|undefined/);
  });

  it('is in Russian, with the reason of the system', () => {
    const text = describeFailure(startRefusal(kind, FACTS, denied), hostTexts('ru', 'desktop'));
    const words = text.replace(/`[^`]+`|\S*\/\S+|Gatehouse|NFS/g, '');
    expect(words).toMatch(/[а-я]/);
    expect(words).not.toMatch(/[A-Za-z]/);
  });
});

it('a database that is refused is explained in the language too', () => {
  const error = databaseRefusal('newer', 'the database has version 9, this panel knows up to 1');
  const text = describeFailure(
    startRefusal('databaseUnusable', { path: '/data/panel.db' }, error),
    hostTexts('ru', 'desktop'),
  );
  expect(text).toBe('Базу данных /data/panel.db нельзя использовать: её изменила более новая версия Gatehouse.');
});

it('another port is offered where the port is the obstacle only', async () => {
  const { dialogs, shown } = openDialogs();
  await dialogs.refused(portTaken);
  await dialogs.refused(startRefusal('addressForeign', { host: '10.0.0.9' }));
  expect(shown.map(({ options }) => options.buttons)).toEqual([
    ['Use another port this time', 'Retry', 'Quit Gatehouse'],
    ['Retry', 'Quit Gatehouse'],
  ]);
});

it('commands are shown as they are typed on this computer', async () => {
  const { dialogs, shown } = openDialogs();
  await dialogs.refused(startRefusal('inUseByCommand', { folder: '/data', pid: 7, command: 'serve' }));
  await dialogs.refused(refusal('database', 'Restore a backup with `panel restore`.'));
  expect(shown.map(({ options }) => options.detail)).toEqual([
    `Another panel (process 7, \`${ownCommandName()} serve\`) is using the data folder /data. Stop it, then try again.`,
    `Restore a backup with \`${ownCommandName()} restore\`.`,
  ]);
});

it('the one about the application names its versions and the copyright', () => {
  const versions = { app: '1.2.3', electron: '45.4.1', chromium: '150.0', node: '24.21.0', command: 'panel' };
  expect(describeVersions(versions, hostTexts('ru', 'desktop'))).toBe(
    'Версия 1.2.3\nElectron 45.4.1, Chromium 150.0, Node.js 24.21.0\n© 2026 Gatehouse',
  );
});
