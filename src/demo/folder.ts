// The data folder of a demonstration: filled once, and marked so that it is never mistaken for a real one.

import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../adapters/clock.ts';
import { nodeCrypto } from '../adapters/crypto.ts';
import { FILES, findDataFolder, hasPanel } from '../adapters/data-folder.ts';
import { refusal } from '../adapters/refusal.ts';
import { parseOwnJson } from '../domain/own-json.ts';
import { ownFolder } from '../panel/owned-folder.ts';
import { fillDemo } from './demo.ts';

/**
 * The folder of a demonstration with this many users: the requested one, or one beside the usual data folder. It is filled the first time
 * and reused later. Throws a refusal for a folder with a real panel, or with a demonstration of another size.
 */
export function prepareDemoFolder(requestedFolder: string | undefined, users: number): string {
  const folder =
    requestedFolder === undefined ? `${findDataFolder(undefined)}-demo-${users}` : findDataFolder(requestedFolder);
  const mark = join(folder, FILES.demo);
  if (existsSync(mark)) {
    const made: unknown = parseOwnJson(readFileSync(mark, 'utf8'));
    const size = typeof made === 'object' && made !== null && 'users' in made ? made.users : null;
    if (size === users) return folder;
    throw refusal('data_folder', `${folder} holds a demonstration of ${size} users. Name another folder with --data.`);
  }
  if (hasPanel(folder)) {
    throw refusal(
      'data_folder',
      `${folder} holds a real panel. Name another folder for the demonstration with --data.`,
    );
  }
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw refusal('data_folder', `${folder} is not empty. Name another folder for the demonstration with --data.`);
  }
  // Filled under another name: an incomplete one is neither a demonstration nor a real panel.
  const filling = `${folder}.filling`;
  rmSync(filling, { recursive: true, force: true });
  const opened = ownFolder(filling, 'demo');
  try {
    const { timeZone, expiringNoticeDays: notices } = opened.settings;
    const now = systemClock.now();
    fillDemo(opened.store, { users, now, timeZone, notices, randomBytes: nodeCrypto.randomBytes });
  } finally {
    opened.close();
  }
  writeFileSync(join(filling, FILES.demo), `${JSON.stringify({ users })}\n`, { mode: 0o600 });
  rmSync(folder, { recursive: true, force: true });
  renameSync(filling, folder);
  return folder;
}
