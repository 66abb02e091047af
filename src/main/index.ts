// The entry of the desktop application: what must happen before Electron is ready, the single instance, then the desktop itself.
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  app,
  BrowserWindow,
  clipboard,
  dialog,
  globalShortcut,
  ipcMain,
  Menu,
  Notification,
  nativeImage,
  nativeTheme,
  powerMonitor,
  protocol,
  screen,
  session,
  shell,
  Tray,
  utilityProcess,
} from 'electron';
import { systemClock } from '../adapters/clock.ts';
import { FILES, findDataFolder } from '../adapters/data-folder.ts';
import type { KeychainProcess } from '../adapters/vault/keychain-process.ts';
import { openInstalledPages } from '../http/pages.ts';
import { hostTexts } from '../i18n/host.ts';
import { chooseLanguage } from '../i18n/languages.ts';
import { findCommand, findDebugSwitch, runCommand } from './command.ts';
import { receiveDeepLinks } from './deep-link.ts';
import { startDesktop } from './desktop.ts';
import { findDevPages } from './dev-pages.ts';
import { createDialogs } from './dialogs.ts';
import { openEarlyLog } from './early-log.ts';
import { openRunRecord } from './last-run.ts';
import { builtPages, type PageSource, registerScheme } from './protocol.ts';
import { findUpdater } from './updates.ts';

const command = findCommand(process.argv, app.isPackaged);
const debugSwitch = app.isPackaged ? findDebugSwitch(app.commandLine) : null;

app.setName('Gatehouse');
app.setAppUserModelId('dev.gatehouse.panel');
// Not the data folder, which is `Gatehouse` on macOS and Windows and accepts no other files.
app.setPath('userData', join(app.getPath('appData'), 'Gatehouse Desktop'));
app.enableSandbox();
// The pages have no 3D graphics. Without a graphics card, Chromium's software renderer would start slowly or fail.
app.commandLine.appendSwitch('disable-software-rasterizer');
registerScheme(protocol);

// Needed for global shortcuts on Wayland; off by default in Electron.
app.commandLine.appendSwitch('enable-features', 'GlobalShortcutsPortal');

// Awaited, because Electron opens the display as soon as this module has been evaluated, and a command needs none.
if (debugSwitch !== null) refuseSwitch(debugSwitch);
else if (command !== null) await runAsCommand(command);
else if (app.requestSingleInstanceLock()) void run();
else app.quit();

/** With such a switch any program of the user could control the pages. Chromium opens the port after this module was evaluated. */
function refuseSwitch(name: string): void {
  process.stderr.write(`gatehouse: --${name} is not accepted.\n`);
  app.exit(2);
}

async function runAsCommand(args: readonly string[]): Promise<void> {
  app.dock?.hide();
  app.exit(await runCommand(args, { process, load: () => import('../cli/index.ts') }));
}

function startKeychain(module: URL): KeychainProcess {
  const child = utilityProcess.fork(fileURLToPath(module), [], { serviceName: 'Keychain', stdio: 'ignore' });
  return {
    send: (request) => child.postMessage(request),
    onReply: (listener) => void child.once('message', listener),
    onEnd: (listener) => void child.once('exit', (code) => listener(String(code))),
    kill() {
      try {
        // Not child.kill() alone, which waits for the thread with the prompt.
        if (child.pid === undefined) child.kill();
        else process.kill(child.pid, 'SIGKILL');
      } catch {
        // The process has ended already.
      }
    },
  };
}

const loadUpdater = async () => (await import('electron-updater')).default.autoUpdater;

function findPages(): PageSource {
  const pages = findDevPages(process.env.ELECTRON_RENDERER_URL, app.isPackaged);
  if (pages !== null) return pages;
  const built = openInstalledPages();
  if (built === null) throw new Error('The pages are not built: run `npm run build`.');
  return builtPages(built);
}

async function run(): Promise<void> {
  const folder = findDataFolder(undefined);
  const links = receiveDeepLinks(app, process.argv);
  await app.whenReady();
  try {
    await startDesktop({
      electron: {
        app,
        BrowserWindow,
        clipboard,
        dialog,
        globalShortcut,
        ipcMain,
        Menu,
        nativeImage,
        nativeTheme,
        Notification,
        powerMonitor,
        protocol,
        screen,
        session,
        shell,
        Tray,
      },
      // Most of the program, so load it after the window is shown.
      openPanel: async (options) => (await import('../panel/panel.ts')).openPanel(options),
      process,
      links,
      pages: findPages(),
      updater: await findUpdater(app.isPackaged, process.resourcesPath, loadUpdater),
      clock: systemClock,
      folder,
      startKeychain,
      keyFile: process.env.GATEHOUSE_KEY_FILE && resolve(process.env.GATEHOUSE_KEY_FILE),
      preload: fileURLToPath(new URL('../preload/index.cjs', import.meta.url)),
    });
  } catch (error) {
    openEarlyLog(folder)?.error('desktop not started', { error });
    openRunRecord(app.getPath('userData'), systemClock.now).fail(error);
    const dialogs = createDialogs({
      dialog,
      texts: () => hostTexts(chooseLanguage([app.getLocale()]), 'desktop'),
      parent: () => null,
      icon: () => undefined,
    });
    const message = error instanceof Error ? error.message : String(error);
    // Not showErrorBox, which blocks the process: it can be ended while this dialog is open.
    await dialogs.failedToStart(message, join(folder, FILES.log));
    app.exit(1);
  }
}
