// The desktop application begins here: what must happen before Electron is ready, one instance, then the desktop itself.
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  app,
  BrowserWindow,
  clipboard,
  dialog,
  ipcMain,
  Menu,
  Notification,
  nativeImage,
  nativeTheme,
  protocol,
  screen,
  session,
  shell,
  Tray,
} from 'electron';
import { findDataFolder } from '../panel/data-folder.ts';
import { machineParts } from '../panel/machine-parts.ts';
import { installedPages } from '../panel/pages.ts';
import { openPanel } from '../panel/panel.ts';
import { commandIn, runCommand } from './command.ts';
import { startDesktop } from './desktop.ts';
import { registerScheme } from './protocol.ts';
import { findUpdater } from './updater.ts';

const command = commandIn(process.argv, app.isPackaged);

app.setName('Gatehouse');
app.setAppUserModelId('dev.gatehouse.panel');
// Apart from the data folder, which has this very name on macOS and Windows and takes no other files.
app.setPath('userData', join(app.getPath('appData'), 'Gatehouse Desktop'));
app.enableSandbox();
registerScheme(protocol);

if (command !== null) void runHere(command);
else if (app.requestSingleInstanceLock()) void run();
else app.quit();

async function runHere(args: readonly string[]): Promise<void> {
  app.dock?.hide();
  app.exit(await runCommand(args, { process, load: () => import('../cli/index.ts') }));
}

const loadUpdater = async () => (await import('electron-updater')).default.autoUpdater;

async function run(): Promise<void> {
  await app.whenReady();
  try {
    const pages = installedPages();
    if (pages === null) throw new Error('The pages are not built: run `npm run build`.');
    await startDesktop({
      electron: {
        ...{ app, BrowserWindow, clipboard, dialog, ipcMain, Menu, nativeImage, nativeTheme },
        ...{ Notification, protocol, screen, session, shell, Tray },
      },
      ...{ openPanel, pages, process },
      updater: await findUpdater(app.isPackaged, process.resourcesPath, loadUpdater),
      clock: machineParts().clock,
      folder: findDataFolder(undefined),
      keyFile: process.env.GATEHOUSE_KEY_FILE && resolve(process.env.GATEHOUSE_KEY_FILE),
      preload: fileURLToPath(new URL('../preload/index.cjs', import.meta.url)),
    });
  } catch (error) {
    dialog.showErrorBox('Gatehouse', error instanceof Error ? error.message : String(error));
    app.exit(1);
  }
}
