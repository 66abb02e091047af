// The application's menu with the usual keyboard shortcuts, in the user's language, and the commands of the pages.
import type { MenuItemConstructorOptions } from 'electron';
import type { MenuAct } from '../bridge/desktop-api.ts';
import type { DesktopTexts } from '../i18n/host.ts';
import { isRecord } from './desktop-state.ts';

export interface MenuActions {
  /** Opens a page by its hash, such as `#/settings`. */
  openPage(hash: string): void;
  /** Runs a command of the pages. */
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
  const pick = (ids: readonly string[]) => buildItems(acts.filter(({ id }) => ids.includes(id)));
  const items = (group: MenuAct['group'], isOfSettings = false) =>
    buildItems(
      acts.filter(
        (act) => act.group === group && !PLACED.includes(act.id) && (act.settingsLabel !== undefined) === isOfSettings,
      ),
    );
  const printing = pick(PRINTING);
  const session = pick([SIGN_OUT]);
  const appearance = items('appearance');
  const ofSettings = items('goTo', true);
  const isMac = platform === 'darwin';
  /** `&` marks the letter that opens the menu with Alt. */
  const title = (label: string) => (isMac ? label : `&${label}`);
  const close = { label: t('closeWindow'), accelerator: 'CmdOrCtrl+W', click: actions.closeWindow };
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
      label: title(t('file')),
      submenu: [
        ...(isMac ? [] : [settings, separator]),
        ...(printing.length > 0 ? [...printing, separator] : []),
        { label: t('openDataFolder'), click: actions.openDataFolder },
        separator,
        ...session,
        ...(isMac ? [close] : [quit]),
      ],
    },
    {
      label: title(t('edit')),
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
      label: title(t('view')),
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
            label: title(t('go')),
            submenu: [
              actItem({ id: PALETTE, label: t('search'), keys: 'mod+k' }, actions.act, platform),
              separator,
              ...items('goTo'),
              ...(ofSettings.length > 0 ? [separator, { label: t('settings'), submenu: ofSettings }] : []),
            ],
          },
          { label: title(t('acts')), submenu: items('acts') },
        ]
      : []),
    {
      role: 'window',
      label: title(t('window')),
      submenu: [
        { role: 'minimize', label: t('minimize') },
        ...(isMac
          ? ([{ role: 'zoom', label: t('zoomWindow') }, separator, { role: 'front', label: t('front') }] as const)
          : [close]),
      ],
    },
    {
      role: 'help',
      label: title(t('help')),
      submenu: [
        ...pick([KEYS]),
        { label: t('apiDocs'), click: () => actions.openPage('#/settings/security/api/docs') },
        ...(isMac ? [] : [separator, ...updates, about]),
      ],
    },
  ];
}

const PRINTING = ['frame.print', 'frame.savePdf'];
const SIGN_OUT = 'frame.signOut';
const KEYS = 'frame.keys';
/** Commands with a conventional place in menus, regardless of their group. */
const PLACED: readonly string[] = [...PRINTING, SIGN_OUT, KEYS];

/** The command palette, which does not list itself. */
export const PALETTE = 'frame.palette';

/**
 * A menu item for a command of the pages. Its key is only shown, because the pages handle it themselves, except in fields. On macOS only keys
 * with ⌘ are shown, because a menu would capture plain letters while the user types.
 */
export function actItem(
  { id, label, settingsLabel, keys = '' }: Pick<MenuAct, 'id' | 'label' | 'settingsLabel' | 'keys'>,
  act: (id: string) => void,
  platform: NodeJS.Platform,
): MenuItemConstructorOptions {
  const [, mod, shift, letter] = /^(mod\+)?(shift\+)?([a-z])$/.exec(keys) ?? [];
  const hasKey = letter !== undefined && (mod !== undefined || platform !== 'darwin');
  const accelerator = `${mod ? 'CmdOrCtrl+' : ''}${shift ? 'Shift+' : ''}${letter?.toUpperCase()}`;
  return {
    // `&` would underline the next letter.
    label: (settingsLabel ?? label).replaceAll('&', '&&'),
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
  const { id, label, settingsLabel, isEverywhere, keys } = value;
  const group = GROUPS.find((known) => known === value.group);
  if (group === undefined || typeof isEverywhere !== 'boolean' || !isShort(id) || !isShort(label)) return null;
  if (keys !== undefined && !isShort(keys)) return null;
  if (settingsLabel !== undefined && !isShort(settingsLabel)) return null;
  return {
    id,
    label,
    group,
    isEverywhere,
    ...(settingsLabel !== undefined && { settingsLabel }),
    ...(keys !== undefined && { keys }),
  };
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
