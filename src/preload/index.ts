// Runs before the pages, in the sandbox: exposes the functions of the desktop to them and nothing else.
import { contextBridge, ipcRenderer } from 'electron';
import { createDesktopApi } from './api.ts';

contextBridge.exposeInMainWorld('gatehouse', createDesktopApi(ipcRenderer));
