// `panel node …`: the commands of a node's machine.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { findDataFolder } from '../adapters/data-folder.ts';
import { describeSystemError, refusal } from '../adapters/refusal.ts';
import { actAsOwner } from '../adapters/system-service.ts';
import { dropLinks, orderLinks, setLinks } from '../agent/links.ts';
import { examineMachine, findNodeFolder, joinMachine, leaveMachine, runMachine } from '../agent/machine.ts';
import { programName } from '../agent/programs.ts';
import { installService, SERVICE_FOLDER, uninstallService, writeUnit } from '../agent/service.ts';
import {
  installEngine,
  readEngineDifference,
  rollBackEngine,
  rollBackPanelEngine,
  type Switched,
  switchEngine,
} from '../agent/switch-engine.ts';
import type { ACME_CHALLENGES } from '../contract/settings/acme.ts';
import { printFindings } from './doctor.ts';
import { askToken, notify, printText, reportFailure } from './terminal.ts';

interface NodeOptions {
  readonly data?: string;
  readonly host?: string;
  readonly engine?: string;
  readonly json?: boolean;
}

function openFolder(data: string | undefined): string {
  const folder = findNodeFolder(data);
  actAsOwner(folder);
  return folder;
}

interface JoinOptions extends NodeOptions {
  readonly tokenFile?: string;
}

/** `given`: extra arguments, which are refused. A token must not be an argument: every account of the machine can read those. */
export async function nodeJoin({ data, host, tokenFile }: JoinOptions, given: readonly string[]): Promise<void> {
  if (given.length > 0) {
    const reason = 'Every account of this machine can read a token on the command line. It was not used.';
    const advice =
      'Make another one in the panel and pipe it: `echo <token> | panel node join`. Without a pipe it is asked for.';
    throw refusal('refused', `${reason} ${advice}`);
  }
  const token = tokenFile === undefined ? await askToken() : readGiven(tokenFile).trim();
  const waiting = (port: number, fingerprint: string) => {
    notify(`Waiting for the panel on port ${port} …`);
    notify(`Fingerprint of this machine: ${fingerprint}`);
  };
  const folder = openFolder(data);
  const fingerprint = await joinMachine({ folder, token, host, waiting });
  const service = folder === SERVICE_FOLDER ? 'systemctl start gatehouse-node' : 'panel node run';
  printText(`Joined. \`${service}\` serves the panel from now on.`);
  printText(`The record of the node must show this fingerprint: ${fingerprint}`);
}

/** Read as root, before the process takes the service's account, which may lack access to the file. */
function readGiven(file: string): string {
  try {
    return readFileSync(resolve(file), 'utf8');
  } catch (error) {
    throw refusal('refused', `${file} cannot be read: ${describeSystemError(error)}.`);
  }
}

/** Runs until the process ends. */
export async function nodeRun({ data, host, engine }: NodeOptions): Promise<never> {
  const machine = await runMachine({ folder: openFolder(data), host, enginePath: engine });
  if (machine.linksPort !== null) printText(`Links are served on port ${machine.linksPort}.`);
  printText(`This node serves its panel on port ${machine.port}. Ctrl-C stops the service; the engine goes on.`);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      machine.close().then(
        () => process.exit(0),
        (error: unknown) => process.exit(reportFailure(error)),
      );
    });
  }
  return new Promise(() => {});
}

export async function nodeLeave({ data }: NodeOptions): Promise<void> {
  await leaveMachine(openFolder(data));
  printText('The engine is stopped, and the panel cannot reach this machine any more.');
}

export async function nodeDoctor({ data, engine, json }: NodeOptions): Promise<void> {
  const folder = openFolder(data);
  printFindings(folder, await examineMachine(folder, engine), json);
}

interface EngineOptions {
  readonly data?: string;
  readonly file?: string;
  readonly sha256?: string;
}

const ENGINE_STEPS = {
  download: (what: string) => `Downloading ${what} …`,
  unpack: (what: string) => `Checking and unpacking ${what} …`,
};

/** For a node's machine. `switches`: also uses the engine from now on. */
export function nodeEngineInstall(
  version: string | undefined,
  options: EngineOptions,
  switches: boolean,
): Promise<void> {
  return installFor(openFolder(options.data), 'panel node engine', version, options, switches);
}

/** For the panel's own machine and its local nodes. */
export function engineInstall(version: string | undefined, options: EngineOptions, switches: boolean): Promise<void> {
  return installFor(openPanelFolder(options.data), 'panel engine', version, options, switches);
}

function openPanelFolder(data: string | undefined): string {
  const folder = findDataFolder(data);
  actAsOwner(folder);
  return folder;
}

async function installFor(
  folder: string,
  command: string,
  version: string | undefined,
  { file, sha256 }: EngineOptions,
  switches: boolean,
): Promise<void> {
  const wanted = { version, file: file === undefined ? undefined : resolve(file), sha256 };
  const program = await installEngine(folder, wanted, (step, what) => notify(ENGINE_STEPS[step](what)));
  const name = programName(program);
  if (!switches) {
    printText(`${name} is installed. \`${command} update\` with the same arguments uses it.`);
    return;
  }
  const { gained, lost } = await readEngineDifference(folder, program);
  if (gained.length > 0) notify(`New with it: ${gained.join(', ')}.`);
  if (lost.length > 0) notify(`It lacks what the present one has: ${lost.join(', ')}.`);
  notify(`Switching to ${name}, and watching it …`);
  report(name, await switchEngine(folder, name));
}

export async function nodeEngineRollback({ data }: EngineOptions): Promise<void> {
  const { name, ...switched } = await rollBackEngine(openFolder(data));
  report(name, switched);
}

export async function engineRollback({ data }: EngineOptions): Promise<void> {
  const { name, ...switched } = await rollBackPanelEngine(openPanelFolder(data));
  report(name, switched);
}

function report(name: string, { outcome, reason }: Switched): void {
  switch (outcome) {
    case 'switched':
      printText(`${name} is used from now on.`);
      return;
    case 'same':
      printText(`${name} is used already.`);
      return;
    case 'refused':
      throw refusal('refused', `${name} is not used: ${reason}. Nothing was changed.`);
    case 'taken_back':
      throw refusal('refused', `${name} did not stay up: ${reason}. The engine before it is used again.`);
  }
}

interface LinksOptions {
  readonly data?: string;
  readonly host?: string;
  readonly port: number;
  readonly certificate?: string;
  readonly key?: string;
  readonly acme?: readonly string[];
  readonly agreeToTerms?: boolean;
  readonly email?: string;
  readonly directory?: string;
  readonly challenge?: (typeof ACME_CHALLENGES)[number];
  readonly httpPort?: number;
}

const LINKS_RESTART =
  'It holds from the next start of `panel node run` on (`systemctl restart gatehouse-node`); the engine goes on.';

export function nodeLinksOn(options: LinksOptions): void {
  const { data, host, port, certificate, key, acme } = options;
  if (acme !== undefined) {
    orderLinksFor(acme, options);
    return;
  }
  if (certificate === undefined || key === undefined)
    throw refusal('refused', 'Give it a certificate (--certificate and --key), or have it ordered (--acme).');
  const [chain, privateKey] = [readGiven(certificate), readGiven(key)];
  setLinks(openFolder(data), { host: host ?? null, port, chain, key: privateKey });
  printText(
    `This machine serves links on port ${port}. ${LINKS_RESTART} Another certificate alone is taken within a minute.`,
  );
}

function orderLinksFor(names: readonly string[], options: LinksOptions): void {
  const { data, host, port, certificate, key, agreeToTerms, email, directory, challenge, httpPort } = options;
  if (certificate !== undefined || key !== undefined)
    throw refusal('refused', 'A certificate is given (--certificate and --key) or ordered (--acme), not both.');
  if (!agreeToTerms)
    throw refusal('refused', "Read the authority's terms of service, and say with --agree-to-terms that you agree.");
  const asked = { names: [...names], email: email ?? null, directory_url: directory, challenge, http_port: httpPort };
  orderLinks(openFolder(data), { host: host ?? null, port }, asked);
  printText(`This machine orders a certificate and serves links on port ${port}. ${LINKS_RESTART}`);
}

export function nodeLinksOff({ data }: { readonly data?: string }): void {
  dropLinks(openFolder(data));
  printText(`This machine serves no links. ${LINKS_RESTART}`);
}

interface InstallOptions {
  readonly host?: string;
  readonly engine?: string;
  readonly dryRun?: boolean;
}

export function nodeInstall({ host, engine, dryRun }: InstallOptions): void {
  const unit = writeUnit({ host, enginePath: engine });
  if (dryRun) {
    process.stdout.write(unit);
    return;
  }
  const file = installService(unit);
  printText(`Made the account gatehouse-node and its folder ${SERVICE_FOLDER}, and wrote ${file}.`);
  printText(
    '`panel node run` starts with the machine from now on, as that account, once the machine is joined: `panel node join`.',
  );
}

export function nodeUninstall(): void {
  uninstallService();
  printText(`The service is gone. Its engine goes on until \`panel node leave\`; the folder ${SERVICE_FOLDER} stays.`);
}
