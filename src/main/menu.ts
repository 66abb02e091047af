// The application's menu with the usual keyboard shortcuts, in the user's language.
import type { MenuItemConstructorOptions } from 'electron';
import type { DesktopTexts } from '../i18n/host.ts';

export interface MenuActions {
  /** Opens a page by its hash, as `#/settings`. */
  go(hash: string): void;
  openDataFolder(): void;
  about(): void;
  /** null: this installation has no update feed. */
  readonly checkForUpdates: (() => void) | null;
  closeWindow(): void;
  quit(): void;
}

export function menuTemplate(
  t: DesktopTexts,
  actions: MenuActions,
  platform: NodeJS.Platform,
): readonly MenuItemConstructorOptions[] {
  const isMac = platform === 'darwin';
  const settings = { label: t('settings'), accelerator: 'CmdOrCtrl+,', click: () => actions.go('#/settings') };
  const quit = { label: t('quit'), accelerator: 'CmdOrCtrl+Q', click: actions.quit };
  const about = { label: t('about'), click: actions.about };
  const { checkForUpdates } = actions;
  const updates = checkForUpdates === null ? [] : [{ label: t('checkForUpdates'), click: checkForUpdates }];
  const separator = { type: 'separator' } as const;
  return [
    ...(isMac
      ? [{ label: 'Gatehouse', submenu: [about, ...updates, separator, settings, separator, ...macItems(t), quit] }]
      : []),
    {
      label: t('file'),
      submenu: [
        ...(isMac ? [] : [settings, separator]),
        { label: t('openDataFolder'), click: actions.openDataFolder },
        separator,
        { label: t('closeWindow'), accelerator: 'CmdOrCtrl+W', click: actions.closeWindow },
        ...(isMac ? [] : [quit]),
      ],
    },
    {
      label: t('edit'),
      submenu: [
        { role: 'undo', label: t('undo') },
        { role: 'redo', label: t('redo') },
        separator,
        { role: 'cut', label: t('cut') },
        { role: 'copy', label: t('copy') },
        { role: 'paste', label: t('paste') },
        { role: 'selectAll', label: t('selectAll') },
      ],
    },
    {
      label: t('view'),
      submenu: [
        { role: 'reload', label: t('reload') },
        separator,
        { role: 'resetZoom', label: t('actualSize') },
        { role: 'zoomIn', label: t('zoomIn') },
        { role: 'zoomOut', label: t('zoomOut') },
        separator,
        { role: 'togglefullscreen', label: t('fullScreen') },
      ],
    },
    { label: t('window'), submenu: [{ role: 'minimize', label: t('minimize') }] },
    {
      label: t('help'),
      submenu: [
        { label: t('apiDocs'), click: () => actions.go('#/settings/security/api/docs') },
        ...(isMac ? [] : [separator, ...updates, about]),
      ],
    },
  ];
}

/** What macOS users expect in the menu that is named after the application. */
function macItems(t: DesktopTexts): readonly MenuItemConstructorOptions[] {
  return [
    { role: 'services', label: t('services') },
    { type: 'separator' },
    { role: 'hide', label: t('hide') },
    { role: 'hideOthers', label: t('hideOthers') },
    { role: 'unhide', label: t('unhide') },
    { type: 'separator' },
  ];
}
