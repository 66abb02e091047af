// `panel node …`: the commands of a node's machine.
import { examineMachine, findNodeFolder, joinMachine, leaveMachine, runMachine } from '../panel/node-machine.ts';
import { printFindings } from './doctor.ts';
import { notify, print, reportFailure } from './terminal.ts';

interface NodeOptions {
  readonly data?: string;
  readonly host?: string;
  readonly engine?: string;
  readonly json?: boolean;
}

export async function nodeJoin(token: string, { data, host }: NodeOptions): Promise<void> {
  const waiting = (port: number) => notify(`Waiting for the panel on port ${port} …`);
  await joinMachine({ folder: findNodeFolder(data), token, host, waiting });
  print('Joined. `panel node run` serves the panel from now on.');
}

/** Runs until the process ends. */
export async function nodeRun({ data, host, engine }: NodeOptions): Promise<never> {
  const machine = await runMachine({ folder: findNodeFolder(data), host, enginePath: engine });
  print(`This node serves its panel on port ${machine.port}. Ctrl-C stops the service; the engine goes on.`);
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
  await leaveMachine(findNodeFolder(data));
  print('The engine is stopped, and the panel cannot reach this machine any more.');
}

export async function nodeDoctor({ data, engine, json }: NodeOptions): Promise<void> {
  const folder = findNodeFolder(data);
  printFindings(folder, await examineMachine(folder, engine), json);
}
