// `panel serve`: runs the panel until it is stopped, and prints its addresses and the first steps.

import { findDataFolder } from '../adapters/data-folder.ts';
import { findInstallation, LAUNCHED, RESTART_CODE } from '../adapters/installation.ts';
import { ownCommandName } from '../panel/command-name.ts';
import type { PanelOptions } from '../panel/config.ts';
import { isHeadless } from '../panel/own-key-file.ts';
import { openPanel, type Panel } from '../panel/panel.ts';
import { finishStart, prepareStart } from '../panel/update/start.ts';
import { notify, print, reportFailure } from './terminal.ts';

export type ServeOptions = {
  readonly data?: string;
  readonly host?: string;
  readonly port?: number;
  readonly http?: boolean;
  readonly rateLimit?: number;
  readonly demo?: number;
  readonly publicUrl?: string;
  readonly trustedProxy?: readonly string[];
  /** false: no key file is made. */
  readonly keyFile?: string | false;
};

/** Runs until the process ends: it never resolves, since the packaged application exits when a command has finished. */
export async function serve(options: ServeOptions): Promise<never> {
  const { data, demo, trustedProxy, http, keyFile, ...rest } = options;
  const folder = demo === undefined ? findDataFolder(data) : await prepareDemo(data, demo);
  const log = process.env.GATEHOUSE_LOG === 'stderr' ? ('stderr' as const) : undefined;
  const installation = findInstallation();
  const started = installation === null ? null : prepareStart(folder, installation);
  const launcher = process.env[LAUNCHED] === undefined ? undefined : { restart: () => void restart(panel) };
  const panel: Panel = await openPanel({
    ...rest,
    launcher,
    folder,
    plainHttp: http,
    trustedProxies: trustedProxy,
    keyFile: keyFile || undefined,
    makesKeyFile: keyFile === undefined && demo === undefined && isHeadless(process.platform, process.env),
    log,
    ...(demo !== undefined && (await demonstration())),
  });
  stopOnSignals(panel);
  exitOnUncaughtErrors(panel);
  if (installation !== null && started !== null) {
    await finishStart(panel, folder, installation, started).catch(async (error: unknown) => {
      await panel.close();
      throw error;
    });
  }
  printIntroduction(panel, folder);
  return new Promise(() => {});
}

/** Closes the panel and asks the launcher for another start. */
async function restart(panel: Panel): Promise<void> {
  notify('Stopping, to start again …');
  await panel.close();
  process.exit(RESTART_CODE);
}

async function prepareDemo(data: string | undefined, users: number): Promise<string> {
  const { prepareDemoFolder } = await import('../demo/index.ts');
  notify(`Preparing a demonstration with ${users.toLocaleString('en')} users …`);
  return prepareDemoFolder(data, users);
}

/** Simulated nodes and a test payment provider. */
async function demonstration(): Promise<Pick<PanelOptions, 'openEngine' | 'openDemoShop'>> {
  const { openDemoShop, simulateEngines } = await import('../demo/index.ts');
  return { openEngine: simulateEngines(), openDemoShop };
}

function printIntroduction(panel: Panel, folder: string): void {
  const { version, panelUrl, baseUrl, setupUrl, caPath, keyFile } = panel;
  const command = `${ownCommandName()} %${folder === findDataFolder(undefined) ? '' : ` --data ${quotePath(folder)}`}`;
  const panelCommand = (words: string) => command.replace('%', () => words);
  const trust = caPath === null ? '' : `--cacert ${quotePath(caPath)} `;
  const first =
    setupUrl === null
      ? []
      : [
          '  There is no administrator yet. Open this link within an hour to make one; it works once:',
          '',
          `    ${setupUrl}`,
          '',
          `  Without a browser:  ${panelCommand('setup --name admin')}`,
        ];
  const lines = [
    `Gatehouse ${version} is running. Ctrl-C stops it.`,
    '',
    `  Panel     ${panelUrl}`,
    `  base_url  ${baseUrl}`,
    `  Data      ${folder}`,
    ...(caPath === null ? [] : [`  CA file   ${caPath}`]),
    ...(keyFile === null ? [] : [`  Key file  ${keyFile}: store a copy of it, apart from backups`]),
    '',
    ...first,
    `  A key for the API:  ${panelCommand('key add --name "my bot" --access full')}`,
    `  Then try it:        curl ${trust}-H "Authorization: Bearer $KEY" ${baseUrl}/stats/overview`,
    '',
    ...(caPath === null
      ? []
      : ['  The certificate is signed by your own authority, the CA file: browsers that do not know it ask once.', '']),
  ];
  for (const line of lines) print(line);
}

/** Quoted only if a shell needs it. */
function quotePath(path: string): string {
  return /^[\w./:\\-]+$/.test(path) ? path : `"${path}"`;
}

/** The first signal finishes running requests; the second ends the process at once, which loses nothing that was acknowledged. */
function stopOnSignals(panel: Panel): void {
  let isStopping = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (isStopping) process.exit(130);
      isStopping = true;
      notify('Stopping … (once more to stop at once)');
      panel.close().then(
        () => process.exit(0),
        (error: unknown) => process.exit(reportFailure(error)),
      );
    });
  }
}

/** After an uncaught error the state of the process is unknown: the error is logged, and a service manager starts a new process. */
function exitOnUncaughtErrors({ log }: Panel): void {
  const exit = (error: unknown) => {
    log.error('defect', { error });
    process.exit(reportFailure(error));
  };
  process.on('uncaughtException', exit);
  process.on('unhandledRejection', exit);
}
