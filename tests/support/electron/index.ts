// A stand-in for Electron: a window is a page of the system's Chromium, IPC is a structured clone, dialogs and trays are recorded.
import './controls.ts';

export { app } from './app.ts';
export { dialog, Menu, Notification, shell, Tray } from './recorded.ts';
export { clipboard, globalShortcut, nativeImage, nativeTheme, powerMonitor, screen, session } from './system.ts';
export { utilityProcess } from './utility.ts';
export { BrowserWindow, ipcMain, protocol } from './windows.ts';
