// `panel node run` as a service of systemd.
import { refusal } from '../adapters/refusal.ts';
import {
  findSelf,
  makeAccount,
  removeService,
  requireServiceHost,
  type ServiceHost,
  startService,
  stateFolder,
  thisHost,
  writeUnit as writeServiceUnit,
} from '../adapters/system-service.ts';

const SERVICE = 'gatehouse-node';
export const SERVICE_FOLDER = stateFolder(SERVICE);
const COMMAND = 'panel node run';

interface ServiceOptions {
  readonly host?: string | undefined;
  /** The program of the engine; left out: on PATH. */
  readonly enginePath?: string | undefined;
}

export function writeUnit({ host, enginePath }: ServiceOptions, program: readonly string[] = findSelf()): string {
  const options = [...(enginePath ? ['--engine', enginePath] : []), ...(host ? ['--host', host] : [])];
  return writeServiceUnit({
    name: SERVICE,
    description: 'Gatehouse node: serves the engine of this machine to its panel',
    writer: 'panel node install',
    program,
    args: ['node', 'run', '--data', SERVICE_FOLDER, ...options],
    starts: enginePath,
    unit: ['# Before it is joined there is nothing to serve.', `ConditionPathExists=${SERVICE_FOLDER}/node.json`],
    service: [
      '# Refused, or its folder cannot be used: another start changes nothing.',
      'RestartPreventExitStatus=2 3 4',
    ],
  });
}

/** Installs or replaces the service; it starts at once if this machine has been joined. Returns the path of the unit. */
export function installService(unit: string, machine: ServiceHost = thisHost): string {
  requireServiceHost(machine, COMMAND);
  makeAccount(machine, SERVICE);
  return startService(machine, SERVICE, unit);
}

/** Stops and removes the service. Account and folder stay, and a running engine runs on. */
export function uninstallService(machine: ServiceHost = thisHost): void {
  requireServiceHost(machine, COMMAND);
  if (!removeService(machine, SERVICE)) throw refusal('refused', 'The service is not installed.');
}
