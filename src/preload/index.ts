// Runs before the pages, in the sandbox: gives them the functions of the desktop and nothing else.
import { contextBridge, ipcRenderer } from 'electron';
import { createDesktopApi } from './api.ts';

contextBridge.exposeInMainWorld('gatehouse', createDesktopApi(ipcRenderer));
