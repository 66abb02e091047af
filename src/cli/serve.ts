// `panel serve`: runs the panel until it is told to stop, and tells a newcomer where it is and what to do first.
import { findDataFolder } from '../panel/data-folder.ts';
import { openPanel, type Panel } from '../panel/panel.ts';
import { explainFailure } from './failure.ts';
import { print, say } from './terminal.ts';

export type ServeOptions = {
  readonly data?: string;
  readonly host?: string;
  readonly port?: number;
  readonly http?: boolean;
  readonly rateLimit?: number;
  readonly demo?: number;
  readonly publicUrl?: string;
  readonly trustedProxy?: readonly string[];
  readonly keyFile?: string;
};

/** Resolves when the panel is up; the process then lives as long as the panel. */
export async function serve(options: ServeOptions): Promise<void> {
  outliveTerminal();
  const { data, demo, trustedProxy, http, keyFile, ...rest } = options;
  const folder = demo === undefined ? findDataFolder(data) : await prepareDemo(data, demo);
  const log = process.env.GATEHOUSE_LOG === 'stderr' ? ('stderr' as const) : undefined;
  const panel = await openPanel({
    ...rest,
    folder,
    plainHttp: http,
    trustedProxies: trustedProxy,
    keyFile,
    log,
  });
  stopOnSignals(panel);
  endOnDefects(panel);
  introduce(panel, folder);
}

/** Whoever reads what it prints may go away, and the file that keeps it may be on a full disk: neither ends the panel. */
function outliveTerminal(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}

async function prepareDemo(data: string | undefined, users: number): Promise<string> {
  const { prepareDemoFolder } = await import('../panel/demo/folder.ts');
  say(`Preparing a demonstration with ${users.toLocaleString('en')} users …`);
  return prepareDemoFolder(data, users);
}

function introduce(panel: Panel, folder: string): void {
  const { version, panelUrl, baseUrl, setupUrl, caPath } = panel;
  const command = `${process.env.npm_execpath ? 'npx panel' : 'panel'} %${
    folder === findDataFolder(undefined) ? '' : ` --data ${quoted(folder)}`
  }`;
  const panelCommand = (words: string) => command.replace('%', () => words);
  const trust = caPath === null ? '' : `--cacert ${quoted(caPath)} `;
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

/** Only where the shell would take it apart. */
function quoted(path: string): string {
  return /^[\w./:\\-]+$/.test(path) ? path : `"${path}"`;
}

/** The first signal finishes what runs; the second one ends the process as it is, which loses nothing acknowledged. */
function stopOnSignals(panel: Panel): void {
  let isStopping = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (isStopping) process.exit(130);
      isStopping = true;
      say('Stopping … (once more to stop at once)');
      panel.close().then(
        () => process.exit(0),
        (error: unknown) => process.exit(explainFailure(error)),
      );
    });
  }
}

/** A defect that nothing caught leaves the process in no known state: it is logged, and a service manager starts a new one. */
function endOnDefects({ log }: Panel): void {
  const end = (error: unknown) => {
    log.error('defect', { error });
    process.exit(explainFailure(error));
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}
