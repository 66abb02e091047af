// The application's menu: what a keyboard expects of any program, in the person's language.
import type { MenuItemConstructorOptions } from 'electron';
import type { Words } from './words.ts';

export interface MenuActs {
  /** Goes to a place of the pages, as `#/settings`. */
  go(hash: string): void;
  openDataFolder(): void;
  about(): void;
  /** null: this installation has no place to look for newer versions. */
  readonly checkForUpdates: (() => void) | null;
  closeWindow(): void;
  quit(): void;
}

export function menuTemplate(
  words: Words,
  acts: MenuActs,
  platform: NodeJS.Platform,
): readonly MenuItemConstructorOptions[] {
  const isMac = platform === 'darwin';
  const settings = { label: words.settings, accelerator: 'CmdOrCtrl+,', click: () => acts.go('#/settings') };
  const quit = { label: words.quit, accelerator: 'CmdOrCtrl+Q', click: acts.quit };
  const about = { label: words.about, click: acts.about };
  const { checkForUpdates } = acts;
  const updates = checkForUpdates === null ? [] : [{ label: words.checkForUpdates, click: checkForUpdates }];
  const separator = { type: 'separator' } as const;
  return [
    ...(isMac ? [{ label: 'Gatehouse', submenu: [about, ...updates, separator, settings, separator, quit] }] : []),
    {
      label: words.file,
      submenu: [
        ...(isMac ? [] : [settings, separator]),
        { label: words.openDataFolder, click: acts.openDataFolder },
        separator,
        { label: words.closeWindow, accelerator: 'CmdOrCtrl+W', click: acts.closeWindow },
        ...(isMac ? [] : [quit]),
      ],
    },
    {
      label: words.edit,
      submenu: [
        { role: 'undo', label: words.undo },
        { role: 'redo', label: words.redo },
        separator,
        { role: 'cut', label: words.cut },
        { role: 'copy', label: words.copy },
        { role: 'paste', label: words.paste },
        { role: 'selectAll', label: words.selectAll },
      ],
    },
    {
      label: words.view,
      submenu: [
        { role: 'reload', label: words.reload },
        separator,
        { role: 'resetZoom', label: words.actualSize },
        { role: 'zoomIn', label: words.zoomIn },
        { role: 'zoomOut', label: words.zoomOut },
        separator,
        { role: 'togglefullscreen', label: words.fullScreen },
      ],
    },
    { label: words.window, submenu: [{ role: 'minimize', label: words.minimize }] },
    {
      label: words.help,
      submenu: [
        { label: words.apiDocs, click: () => acts.go('#/settings/security/api/docs') },
        ...(isMac ? [] : [separator, ...updates, about]),
      ],
    },
  ];
}
