// Electron's preload script, in the sandbox: exposes the functions of the desktop host to the pages, and nothing else.
import { contextBridge, ipcRenderer } from 'electron';
import { createDesktopApi } from './api.ts';

contextBridge.exposeInMainWorld('gatehouse', createDesktopApi(ipcRenderer));
