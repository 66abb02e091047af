// The tray: the panel's status, and what one does without opening the window.
import type { Menu, MenuItemConstructorOptions, NativeImage, Tray } from 'electron';
import type { DesktopTexts } from '../i18n/host.ts';

/** The panel's status; null while none is open. */
export type Status = {
  readonly baseUrl: string;
  readonly usersOnline: number;
  /** Bytes, both ways. */
  readonly trafficToday: number;
  readonly isPaused: boolean;
} | null;

export interface TrayActs {
  open(): void;
  copyBaseUrl(): void;
  pause(isPaused: boolean): void;
  quit(): void;
}

export function trayTemplate(status: Status, t: DesktopTexts, acts: TrayActs): MenuItemConstructorOptions[] {
  const separator = { type: 'separator' } as const;
  const info = (label: string) => ({ label, enabled: false });
  const about =
    status === null
      ? [info(t('stopped'))]
      : [
          info(status.isPaused ? t('paused') : t('serving', { address: originOf(status.baseUrl) })),
          info(t('online', { count: status.usersOnline })),
          info(t('today', { amount: amountOf(status.trafficToday) })),
          separator,
          { label: t('copyBaseUrl'), click: acts.copyBaseUrl },
          {
            label: t('pauseApi'),
            type: 'checkbox' as const,
            checked: status.isPaused,
            click: () => acts.pause(!status.isPaused),
          },
        ];
  return [
    { label: t('open'), click: acts.open },
    separator,
    ...about,
    separator,
    { label: t('quit'), click: acts.quit },
  ];
}

export interface TrayParts {
  readonly Tray: typeof Tray;
  readonly Menu: Pick<typeof Menu, 'buildFromTemplate'>;
  readonly icon: NativeImage;
  readonly acts: TrayActs;
}

export interface ShellTray {
  show(status: Status, t: DesktopTexts): void;
  close(): void;
}

/** null where the system has no tray: the window and a second start then do without. */
export function openTray({ Tray: TrayClass, Menu: menus, icon, acts }: TrayParts): ShellTray | null {
  let tray: Tray;
  try {
    tray = new TrayClass(icon);
  } catch {
    return null;
  }
  tray.on('click', acts.open);
  let shown = '';
  return {
    show(status, t) {
      // Replacing a menu closes it under the pointer, so it is replaced only when its content changes.
      const next = JSON.stringify([status, t('open')]);
      if (next === shown) return;
      shown = next;
      tray.setToolTip(status?.isPaused ? t('paused') : status === null ? t('stopped') : 'Gatehouse');
      tray.setContextMenu(menus.buildFromTemplate(trayTemplate(status, t, acts)));
    },
    close: () => tray.destroy(),
  };
}

/** Without the secret path, which nobody may read from the screen. */
function originOf(baseUrl: string): string {
  return URL.parse(baseUrl)?.host ?? '';
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];

/** Decimal units with at most one place behind the point. */
function amountOf(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const amount = bytes / 1000 ** power;
  return `${amount >= 100 || power === 0 ? Math.round(amount) : amount.toFixed(1)} ${UNITS[power]}`;
}
