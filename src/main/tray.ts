// The tray: that the panel serves, how it fares, and what one does without opening the window.
import type { Menu, MenuItemConstructorOptions, NativeImage, Tray } from 'electron';
import { fill, type Words } from './words.ts';

/** How the panel fares; null while none is open. */
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

export function trayTemplate(status: Status, words: Words, acts: TrayActs): MenuItemConstructorOptions[] {
  const separator = { type: 'separator' } as const;
  const said = (label: string) => ({ label, enabled: false });
  const about =
    status === null
      ? [said(words.stopped)]
      : [
          said(status.isPaused ? words.paused : fill(words.serving, { address: originOf(status.baseUrl) })),
          said(fill(words.online, { count: status.usersOnline })),
          said(fill(words.today, { amount: amountOf(status.trafficToday) })),
          separator,
          { label: words.copyBaseUrl, click: acts.copyBaseUrl },
          {
            label: words.pauseApi,
            type: 'checkbox' as const,
            checked: status.isPaused,
            click: () => acts.pause(!status.isPaused),
          },
        ];
  return [
    { label: words.open, click: acts.open },
    separator,
    ...about,
    separator,
    { label: words.quit, click: acts.quit },
  ];
}

export interface TrayParts {
  readonly Tray: typeof Tray;
  readonly Menu: Pick<typeof Menu, 'buildFromTemplate'>;
  readonly icon: NativeImage;
  readonly acts: TrayActs;
}

export interface ShellTray {
  show(status: Status, words: Words): void;
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
    show(status, words) {
      // A menu that is open would close under the pointer, so it is only made anew where it says something else.
      const next = JSON.stringify([status, words.open]);
      if (next === shown) return;
      shown = next;
      tray.setToolTip(status?.isPaused ? words.paused : status === null ? words.stopped : 'Gatehouse');
      tray.setContextMenu(menus.buildFromTemplate(trayTemplate(status, words, acts)));
    },
    close: () => tray.destroy(),
  };
}

/** Without the secret path: whoever looks over the shoulder must not read it. */
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
