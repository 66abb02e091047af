// A process that opens panels when the one that has started it asks: its modules are loaded once for all of them, which takes most of the
// time of a start.
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { openDemoShop } from '../../src/demo/demo-shop.ts';
import { prepareDemoFolder } from '../../src/demo/folder.ts';
import { simulateEngines } from '../../src/demo/simulated-engines.ts';
import { openPanel, type Panel } from '../../src/panel/panel.ts';
import { CHEAP_COST } from './cheap-password.ts';
import type { HostedPanel, HostReply, HostRequest } from './hosted-panels.ts';

/** Long enough for a busy machine to see that an address is on trial. */
const ADDRESS_TRIAL_MS = 20_000;

const panels = new Map<string, Panel>();

async function open({ folder, keyFile, users, sells = false, port }: HostRequest): Promise<HostedPanel> {
  const panel = await openPanel({
    folder: users > 0 ? prepareDemoFolder(folder, users) : folder,
    port,
    keyFile,
    rateLimit: 0,
    passwordCost: CHEAP_COST,
    addressTrialMs: ADDRESS_TRIAL_MS,
    ...(users > 0 && { openEngine: simulateEngines() }),
    ...(sells && { openDemoShop }),
  });
  panels.set(folder, panel);
  const { panelUrl, baseUrl, setupUrl, caPath } = panel;
  return { panelUrl, baseUrl, setupUrl, caPath: caPath ?? '' };
}

async function close(folder: string): Promise<void> {
  await panels.get(folder)?.close();
  panels.delete(folder);
}

const acts = {
  open,
  close: ({ folder }: HostRequest) => close(folder),
  async remove({ folder }: HostRequest) {
    await close(folder);
    rmSync(dirname(folder), { recursive: true, force: true });
  },
};

process.on('message', (request: HostRequest) => {
  const reply = (given: Omit<HostReply, 'id'>) => void process.send?.({ id: request.id, ...given });
  acts[request.act](request).then(
    (opened) => reply(opened ? { opened } : {}),
    (error: unknown) => reply({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
// Also where the process that has started it was killed.
process.once('disconnect', () => {
  for (const folder of panels.keys()) rmSync(dirname(folder), { recursive: true, force: true });
  process.exit();
});
