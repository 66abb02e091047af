// The tray: its icon, the panel's status, and what can be done without opening the window.
import type { Menu, MenuItemConstructorOptions, NativeImage, nativeImage, Tray } from 'electron';
import type { MenuAct } from '../bridge/desktop-api.ts';
import type { Call } from '../core/ports/call.ts';
import { formatBytes } from '../i18n/bytes.ts';
import type { DesktopTexts } from '../i18n/host.ts';
import type { Language } from '../i18n/languages.ts';
import type { Panel } from '../panel/panel.ts';
import { APP_ICON } from './app-icon.ts';
import { actItem } from './menu.ts';
import { TRAY_TEMPLATES } from './tray-template.ts';

/** The panel's status; null while no panel is open, or while it cannot be read. */
export type Status = {
  readonly baseUrl: string;
  readonly usersOnline: number;
  /** Up and down, in words. */
  readonly trafficToday: string;
  readonly isPaused: boolean;
} | null;

const CALL: Call = {
  actor: { kind: 'panel', id: null, name: 'desktop', access: 'full' },
  requestId: 'tray',
  address: null,
};

export function readStatus(panel: Pick<Panel, 'core' | 'api'> | null, language: Language): Status {
  if (panel === null) return null;
  try {
    const { users, traffic } = panel.core.call('getOverview', {}, CALL).body;
    const { up, down } = traffic.today;
    return {
      baseUrl: panel.core.baseUrl(),
      usersOnline: users.online,
      trafficToday: formatBytes(up + down, language),
      isPaused: panel.api.isPaused(),
    };
  } catch {
    return null;
  }
}

export interface TrayActions {
  open(): void;
  copyBaseUrl(): void;
  pause(isPaused: boolean): void;
  /** Does a command of the pages, in the window. */
  act(id: string): void;
  quit(): void;
}

export function trayTemplate(
  status: Status,
  t: DesktopTexts,
  actions: TrayActions,
  acts: readonly MenuAct[] = [],
): MenuItemConstructorOptions[] {
  const commands = acts
    .filter(({ group, isEverywhere }) => group === 'acts' && isEverywhere)
    .map(({ id, label }) => actItem({ id, label }, actions.act, 'linux'));
  const separator = { type: 'separator' } as const;
  const info = (label: string) => ({ label, enabled: false });
  const panelItems =
    status === null
      ? [info(t('stopped'))]
      : [
          info(status.isPaused ? t('paused') : t('serving', { address: parseHost(status.baseUrl) })),
          info(t('online', { count: status.usersOnline })),
          info(t('today', { amount: status.trafficToday })),
          separator,
          { label: t('copyBaseUrl'), click: actions.copyBaseUrl },
          {
            label: t('pauseApi'),
            type: 'checkbox' as const,
            checked: status.isPaused,
            click: () => actions.pause(!status.isPaused),
          },
        ];
  return [
    { label: t('open'), click: actions.open },
    ...commands,
    separator,
    ...panelItems,
    separator,
    { label: t('quit'), click: actions.quit },
  ];
}

export interface TrayParts {
  readonly Tray: typeof Tray;
  readonly Menu: Pick<typeof Menu, 'buildFromTemplate'>;
  readonly icon: NativeImage;
  readonly actions: TrayActions;
  readonly platform: NodeJS.Platform;
}

export interface ShellTray {
  /** `acts`: the commands of the pages. */
  show(status: Status, t: DesktopTexts, acts: readonly MenuAct[]): void;
  close(): void;
}

/** null if the system has no tray: then the window or a second start are used instead. */
export function openTray({ Tray: TrayClass, Menu: MenuClass, icon, actions, platform }: TrayParts): ShellTray | null {
  let tray: Tray;
  try {
    tray = new TrayClass(icon);
  } catch {
    return null;
  }
  // On macOS a click opens the menu, and must not raise the window behind it.
  if (platform !== 'darwin') tray.on('click', actions.open);
  let shown = '';
  return {
    show(status, t, acts) {
      // Replacing a menu closes it while the user has it open, so it is replaced only when its content changes.
      const next = JSON.stringify([status, t('open'), acts]);
      if (next === shown) return;
      shown = next;
      tray.setToolTip(status?.isPaused ? t('paused') : status === null ? t('stopped') : 'Gatehouse');
      tray.setContextMenu(MenuClass.buildFromTemplate(trayTemplate(status, t, actions, acts)));
    },
    close: () => tray.destroy(),
  };
}

/** Host and port without the secret path, which must not be readable on the screen. */
function parseHost(baseUrl: string): string {
  return URL.parse(baseUrl)?.host ?? '';
}

/** The favicon of the pages as PNG, 32 by 32. In the bundle, so that it does not depend on what is packaged. */
const PNG = [
  'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAYAAABzenr0AAABU0lEQVR42mNgQAMh4df0gXg+EN8H4v9UwvehZuoz4AJASX4g7qei',
  'pbgwyA5+bJafp4PlMHwexRF08jlGSCDHOUma6xof/F+5+hUKBomR4Qh9BmjiIErDlGlP/7989fM/LgCSA6khwQHzGYhJ7XGJN/5f',
  'ufoFxTIQf9+B92CMTQ6kh5jcwUCM5ffuf4cbvmXrW6yGg8RAcjAA0kOMIwg6ANnQzu5HBA0EqUF2LEUOyMy5DTds3oLnRMctSC0M',
  'gMwg2wGg+IXFKakpHJYuQGaQ7QBYiseWskFBDcuC2KIGpAeWM8h2AAwg53FsOQJbygfpgQGKHYArUZ489QmMcSU6mjjgy5c/GIkS',
  'luhAcjR3AAwgBzeIjU8tTRxAidpRB4w6YNQBQ8cBoJINvXTDJkaqWnQH3B+AFjFKk2z+ADpgPlnNcipi/YHvmAyKrtmAd04HsnsO',
  'ABzbhjGiaIXqAAAAAElFTkSuQmCC',
].join('');

/**
 * The icon for this system. macOS draws it light or dark from a black template image, at one and at two pixels per point: most of its
 * screens need the second.
 */
export function trayIcon(
  images: Pick<typeof nativeImage, 'createFromDataURL'>,
  platform: NodeJS.Platform,
): NativeImage {
  if (platform !== 'darwin') return images.createFromDataURL(dataUrl(PNG));
  const [single, double] = TRAY_TEMPLATES;
  const icon = images.createFromDataURL(dataUrl(single));
  icon.addRepresentation({ scaleFactor: 2, dataURL: dataUrl(double) });
  icon.setTemplateImage(true);
  return icon;
}

/** The application's icon in dialogs. */
export function appIcon(images: Pick<typeof nativeImage, 'createFromDataURL'>): NativeImage {
  return images.createFromDataURL(dataUrl(APP_ICON));
}

function dataUrl(png: string): string {
  return `data:image/png;base64,${png}`;
}
