// The application's menu with the usual keyboard shortcuts, in the user's language, and the commands of the pages.
import type { MenuItemConstructorOptions } from 'electron';
import type { MenuAct } from '../bridge/desktop-api.ts';
import type { DesktopTexts } from '../i18n/host.ts';
import { isRecord } from './desktop-state.ts';

export interface MenuActions {
  /** Opens a page by its hash, as `#/settings`. */
  openPage(hash: string): void;
  /** Does a command of the pages. */
  act(id: string): void;
  openDataFolder(): void;
  about(): unknown;
  /** null: this installation has no update feed. */
  readonly checkForUpdates: (() => void) | null;
  closeWindow(): void;
  quit(): void;
}

export function menuTemplate(
  t: DesktopTexts,
  actions: MenuActions,
  platform: NodeJS.Platform,
  acts: readonly MenuAct[] = [],
): readonly MenuItemConstructorOptions[] {
  const buildItems = (some: readonly MenuAct[]) => some.map((act) => actItem(act, actions.act, platform));
  const items = (group: MenuAct['group']) =>
    buildItems(acts.filter((act) => act.group === group && !OF_FILE_MENU.includes(act.id)));
  const printing = buildItems(acts.filter(({ id }) => OF_FILE_MENU.includes(id)));
  const appearance = items('appearance');
  const isMac = platform === 'darwin';
  const settings = { label: t('settings'), accelerator: 'CmdOrCtrl+,', click: () => actions.openPage('#/settings') };
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
        ...(printing.length > 0 ? [...printing, separator] : []),
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
        ...(appearance.length > 0 ? [separator, ...appearance] : []),
      ],
    },
    ...(acts.length > 0
      ? [
          {
            label: t('go'),
            submenu: [
              actItem({ id: PALETTE, label: t('search'), keys: 'mod+k' }, actions.act, platform),
              separator,
              ...items('goTo'),
            ],
          },
          { label: t('acts'), submenu: items('acts') },
        ]
      : []),
    { label: t('window'), submenu: [{ role: 'minimize', label: t('minimize') }] },
    {
      label: t('help'),
      submenu: [
        { label: t('apiDocs'), click: () => actions.openPage('#/settings/security/api/docs') },
        ...(isMac ? [] : [separator, ...updates, about]),
      ],
    },
  ];
}

/** Where every program has them. */
const OF_FILE_MENU: readonly string[] = ['frame.print', 'frame.savePdf'];

/** The search over everything, which is no command of its own list. */
export const PALETTE = 'frame.palette';

/**
 * An item that does a command of the pages. Its key is shown: the pages answer it themselves, and only where it is not typed into a
 * field. macOS would take a letter from what is typed, so there it is shown only with ⌘.
 */
export function actItem(
  { id, label, keys = '' }: Pick<MenuAct, 'id' | 'label' | 'keys'>,
  act: (id: string) => void,
  platform: NodeJS.Platform,
): MenuItemConstructorOptions {
  const [, mod, shift, letter] = /^(mod\+)?(shift\+)?([a-z])$/.exec(keys) ?? [];
  const hasKey = letter !== undefined && (mod !== undefined || platform !== 'darwin');
  const accelerator = `${mod ? 'CmdOrCtrl+' : ''}${shift ? 'Shift+' : ''}${letter?.toUpperCase()}`;
  return {
    // `&` would underline the next letter.
    label: label.replaceAll('&', '&&'),
    ...(hasKey && { accelerator, registerAccelerator: false }),
    click: () => act(id),
  };
}

const GROUPS: readonly MenuAct['group'][] = ['goTo', 'acts', 'appearance'];
const MAX_ACTS = 200;
const MAX_LENGTH = 200;

/** The commands that a page sent; null if they are not such. */
export function parseActs(value: unknown): readonly MenuAct[] | null {
  if (!Array.isArray(value) || value.length > MAX_ACTS) return null;
  const acts = value.map(parseAct);
  return acts.every((act) => act !== null) ? acts : null;
}

function parseAct(value: unknown): MenuAct | null {
  if (!isRecord(value)) return null;
  const { id, label, isEverywhere, keys } = value;
  const group = GROUPS.find((known) => known === value.group);
  if (group === undefined || typeof isEverywhere !== 'boolean' || !isShort(id) || !isShort(label)) return null;
  if (keys !== undefined && !isShort(keys)) return null;
  return { id, label, group, isEverywhere, ...(keys !== undefined && { keys }) };
}

function isShort(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_LENGTH;
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
