// What the system would show: recorded for the test, which also gives the user's answers.
import { EventEmitter } from 'node:events';
import type { ShownDialog } from '../../desktop/driver.ts';
import { app } from './app.ts';

export const dialogs: ShownDialog[] = [];
export const opened: string[] = [];
const answers = { message: [] as number[], save: [] as (string | null)[] };
const waiting: (() => void)[] = [];

/** A dialog stays open, as a real one does, until the test answers it. */
export function setAnswer(kind: 'message' | 'save', answer: number | string | null): void {
  (answers[kind] as unknown[]).push(answer);
  for (const resume of waiting.splice(0)) resume();
}

async function waitForAnswer<Kind extends keyof typeof answers>(kind: Kind) {
  while (answers[kind].length === 0) await new Promise<void>((resolve) => waiting.push(resolve));
  return answers[kind].shift() as (typeof answers)[Kind][number];
}

/** The options, or the window that the dialog belongs to and the options. */
type Given = [options: object] | [parent: { readonly webContents: { getURL(): string } }, options: object];

function record(kind: ShownDialog['kind'], given: Given): void {
  const [parent, options] = given.length === 2 ? given : [null, given[0]];
  dialogs.push({ kind, options: { ...options }, parent: parent?.webContents.getURL() ?? null });
}

export const dialog = {
  async showMessageBox(...given: Given) {
    record('message', given);
    return { response: await waitForAnswer('message'), checkboxChecked: false };
  },
  async showSaveDialog(...given: Given) {
    record('save', given);
    const filePath = await waitForAnswer('save');
    return filePath === null ? { canceled: true, filePath: '' } : { canceled: false, filePath };
  },
  showErrorBox(title: string, content: string) {
    record('error', [{ title, content }]);
  },
};

export const shell = {
  openExternal: async (url: string) => void opened.push(url),
  openPath: async (path: string) => {
    opened.push(path);
    return '';
  },
};

export interface Item {
  readonly label?: string;
  readonly role?: string;
  readonly type?: string;
  readonly checked?: boolean;
  readonly enabled?: boolean;
  readonly submenu?: readonly Item[];
  readonly click?: () => void;
}

export class Menu {
  static application: Menu | null = null;
  readonly items: readonly Item[];
  constructor(items: readonly Item[]) {
    this.items = items;
  }
  static buildFromTemplate(items: readonly Item[]): Menu {
    return new Menu(items);
  }
  static setApplicationMenu(menu: Menu): void {
    Menu.application = menu;
  }
  /** Clicks the item of a label in the menu or a submenu. */
  static press(items: readonly Item[], label: string): void {
    const all = items.flatMap((item) => [item, ...(item.submenu ?? [])]);
    const found = all.find((item) => item.label === label && item.enabled !== false);
    if (found?.click === undefined) throw new Error(`no item ${label} among ${all.map((item) => item.label)}`);
    found.click();
  }
}

export class Tray extends EventEmitter {
  static readonly all: Tray[] = [];
  menu: Menu | null = null;
  toolTip = '';
  constructor() {
    super();
    app.afterReady('Tray');
    Tray.all.push(this);
  }
  setToolTip(text: string): void {
    this.toolTip = text;
  }
  setContextMenu(menu: Menu): void {
    this.menu = menu;
  }
  destroy(): void {
    Tray.all.splice(Tray.all.indexOf(this), 1);
  }
}

export class Notification extends EventEmitter {
  static readonly all: Notification[] = [];
  static isSupported = () => true;
  readonly options: { readonly title: string; readonly body: string };
  constructor(options: { readonly title: string; readonly body: string }) {
    super();
    this.options = options;
  }
  show(): void {
    Notification.all.push(this);
  }
}
