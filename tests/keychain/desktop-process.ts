// The desktop's panel and its "stay signed in", composed as in the application, without a window: one command per line, one reply per line.
// Arguments: data folder, file of the desktop's state.
import { createInterface } from 'node:readline';
import { openStateFile } from '../../src/main/desktop-state.ts';
import { createHost } from '../../src/main/host.ts';
import { createStaySignedIn } from '../../src/main/stay-signed-in.ts';
import { openPanel } from '../../src/panel/panel.ts';
import { CHEAP_COST } from '../support/cheap-password.ts';
import { freePort } from '../support/free-port.ts';

export type Command =
  | { readonly do: 'state' | 'leave' }
  | { readonly do: 'call'; readonly id: string; readonly input: object }
  /** As the switch in Settings does it. */
  | { readonly do: 'stay'; readonly stays: boolean };

const [, , folder = '', choices = ''] = process.argv;
const state = openStateFile(choices);
const port = await freePort();
const staySignedIn = createStaySignedIn({
  isEnabled: () => state.get().staySignedIn,
  panel: () => host.panel(),
  token: () => host.session()?.token() ?? null,
});
const host = createHost({
  options: { folder, rateLimit: 0 },
  open: (options) => openPanel({ ...options, port, passwordCost: CHEAP_COST }),
  device: 'Gatehouse',
  ask: async (refusal) => {
    throw new Error(refusal.message);
  },
  async onOpen(panel, session) {
    if (session.token() === null) await staySignedIn.resume(panel, session);
  },
  onSession: staySignedIn.onSession,
  onReopened() {},
});
await host.open();

async function obey(command: Command): Promise<object> {
  if (command.do === 'leave') {
    await staySignedIn.idle();
    await host.close();
    process.exit(0);
  }
  if (command.do === 'call') {
    const reply = await host.session()?.call(command.id, JSON.stringify(command.input), {});
    await staySignedIn.idle();
    if (reply?.ok === false) throw Object.assign(new Error(reply.problem.title), { code: reply.problem.detail });
    return { reply: reply?.text == null ? null : JSON.parse(reply.text) };
  }
  if (command.do === 'stay') {
    const isKept = await staySignedIn.enable(command.stays);
    if (isKept) state.set({ staySignedIn: command.stays });
    return { isKept };
  }
  return { token: host.session()?.token() ?? null, instanceId: host.panel()?.core.settings().instanceId };
}

async function reply(command: Command): Promise<void> {
  const said = await obey(command).catch((error: Error & { code?: string }) => ({
    error: error.code ?? error.message,
  }));
  console.log(JSON.stringify(said));
}

await reply({ do: 'state' });
for await (const line of createInterface({ input: process.stdin })) await reply(JSON.parse(line));
