// What the pages are told about the application that runs here.
import type { App } from 'electron';
import type { Versions } from '../bridge/desktop-api.ts';
import { commandName } from './command.ts';

type Running = Pick<NodeJS.Process, 'platform' | 'versions' | 'execPath' | 'env'>;

export function versionsOf(app: Pick<App, 'getVersion' | 'isPackaged'>, running: Running): Versions {
  const { electron = '', chrome = '', node } = running.versions;
  return { app: app.getVersion(), electron, chromium: chrome, node, command: commandName(app.isPackaged, running) };
}
