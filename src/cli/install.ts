// `panel install` and `panel uninstall`: the panel as a service of this machine, and how to reach it.
import { hostname, networkInterfaces } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { refusal } from '../adapters/refusal.ts';
import { LETS_ENCRYPT, setUpAcme } from '../contract/settings/acme.ts';
import { originIn } from '../panel/config.ts';
import {
  callService,
  type InstalledPanel,
  type InstallStep,
  installPanel,
  PLACES,
  type Reach,
  readReach,
  uninstallPanel,
} from '../panel/install.ts';
import { askConfirmation, notify, print } from './terminal.ts';

export interface InstallOptions {
  readonly domain?: string;
  readonly email?: string;
  readonly directory?: string;
  readonly http?: boolean;
  readonly publicUrl?: string;
  readonly yes?: boolean;
}

const STEPS: Readonly<Record<InstallStep, string>> = {
  account: 'Making the account and the folder /var/lib/gatehouse …',
  program: 'Putting the program in place …',
  key: 'Making the key file /etc/gatehouse/key …',
  service: 'Starting the service gatehouse …',
  wait: 'Waiting for its first answer …',
};
const ORDER_MS = 180_000;

export async function install(options: InstallOptions): Promise<void> {
  const reach = chooseReach(options);
  const terms = reach.mode === 'domain' ? ' A certificate is ordered, which agrees to the terms of its authority.' : '';
  if (!options.yes) await askConfirmation(`This installs the panel as a service of this machine.${terms} Go on?`);
  const startedAt = performance.now();
  const installed = await installPanel(reach, (step) => notify(STEPS[step]));
  notify(`It answered after ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`);
  const problem = reach.mode === 'domain' ? await orderCertificate(reach.domain, options) : null;
  await printAddresses(reach, installed, problem);
}

function chooseReach({ domain, http = false, publicUrl }: InstallOptions): Reach {
  if (domain === undefined && publicUrl === undefined && !http) return readReach();
  if (domain !== undefined) {
    if (http || publicUrl !== undefined) throw refusal('address', 'Either --domain, or --http with --public-url.');
    const isName = setUpAcme.input.shape.names.safeParse([domain]).success;
    if (!isName) throw refusal('address', `${domain} is not a public name.`);
    return { mode: 'domain', domain: domain.toLowerCase() };
  }
  const origin = publicUrl === undefined ? null : originIn(publicUrl);
  if (!http || origin === null) {
    throw refusal('address', 'Behind a reverse proxy both are needed: --http --public-url https://panel.example.org.');
  }
  return { mode: 'proxy', publicUrl: origin };
}

/** null: there is a certificate. Otherwise why there is none; the panel tries again by itself. */
async function orderCertificate(
  name: string,
  { email = null, directory }: { email?: string | null; directory?: string },
) {
  notify(`Ordering a certificate for ${name} …`);
  await callService('order-certificate', { name, email, directory_url: directory ?? LETS_ENCRYPT });
  for (let waited = 0; waited < ORDER_MS; waited += 1000) {
    const state = await callService('certificate', {});
    if (state?.status === 'active') return null;
    if (state?.status === 'failing') return state.failure?.detail ?? state.failure?.code ?? 'failed';
    await wait(1000);
  }
  return 'it takes longer than three minutes';
}

async function printAddresses(
  reach: Reach,
  { addresses, hasEngine }: InstalledPanel,
  problem: string | null,
): Promise<void> {
  const { panel_url, set_up } = addresses;
  const made = set_up ? null : await callService('setup-link', {});
  print('\nGatehouse runs as the service gatehouse, and starts with this machine.\n');
  print(`  Panel     ${panel_url}`);
  if (made?.link) print(`  Set it up ${made.link}   (once, within an hour; \`panel setup\` prints another)`);
  print(`  Data      ${PLACES.data}`);
  print(`  Key file  /etc/gatehouse/key: store a copy of it apart from backups`);
  if (!hasEngine) print('  Engine    none came along: install xray, or name one in the settings');
  if (problem !== null) {
    print(`\n  There is no certificate yet: ${problem}. The panel tries again; Settings, Certificates has more.`);
  }
  if (reach.mode === 'loopback') {
    const port = new URL(panel_url).port;
    print('\n  It listens on this machine only. From your computer, until it has a name or a proxy:\n');
    print(`    ssh -L ${port}:127.0.0.1:${port} ${findLogin()}`);
  }
}

/** The address by which this machine was reached over SSH, else its first address. */
function findLogin(): string {
  const user = process.env.SUDO_USER ?? process.env.USER ?? 'root';
  const [, , serverAddress] = (process.env.SSH_CONNECTION ?? '').split(' ');
  const own = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4');
  return `${user}@${serverAddress ?? own?.address ?? hostname()}`;
}

export async function uninstall({ purge = false, yes = false }: { purge?: boolean; yes?: boolean }): Promise<void> {
  const data = purge ? ` with ${PLACES.data}, all users and the key file, which cannot be brought back` : '';
  if (!yes) await askConfirmation(`This removes the service gatehouse${data}. Go on?`);
  uninstallPanel(purge);
  print(
    purge ? 'The service and its data are removed.' : `The service is removed. ${PLACES.data} and /etc/gatehouse stay.`,
  );
}
