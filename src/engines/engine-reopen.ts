// Closes an inbound of a running Xray and opens it again, which ends the sessions of some protocols. Uses the commands of Xray's own
// program, because only that can encode an inbound for the API.
import { spawn } from 'node:child_process';
import { EngineError, type EngineInbound } from '../core/ports/engines.ts';
import { extractMessage, redact } from './engine-failure.ts';
import { environment } from './engine-process.ts';
import type { EngineProgram } from './engine-program.ts';

const CALL_SECONDS = 10;

interface Reopening {
  readonly program: EngineProgram;
  /** The program's working directory. */
  readonly folder: string;
  readonly apiPort: number;
  readonly inbound: EngineInbound;
  /** A configuration with only this inbound. */
  readonly text: string;
}

/**
 * Rejects with EngineError: `engine_refused` if nothing was changed because the program lacks these commands; after any other error the
 * inbound may be closed, and the engine has to be restarted.
 */
export async function reopenInbound({ program, folder, apiPort, inbound, text }: Reopening): Promise<void> {
  const run = async (command: 'rmi' | 'adi', argument: string, input: string): Promise<string | null> => {
    const args = ['api', command, `--server=127.0.0.1:${apiPort}`, `--timeout=${CALL_SECONDS}`, argument];
    const failure = await runProgram(program.path, args, folder, input);
    return failure === null ? null : extractMessage(redact({ inbounds: [inbound], blocksPrivate: true }, failure));
  };
  const refused = await run('rmi', inbound.tag, '');
  if (refused !== null) throw new EngineError('engine_refused', `${inbound.tag}: not closed: ${refused}`);
  const failed = await run('adi', 'stdin:', text);
  if (failed !== null) throw new EngineError('engine_crashed', `${inbound.tag}: not opened again: ${failed}`);
}

/** null: success; otherwise the program's output. */
function runProgram(path: string, args: readonly string[], cwd: string, input: string): Promise<string | null> {
  return new Promise((resolve) => {
    const options = { cwd, env: environment(), timeout: 2 * CALL_SECONDS * 1000, killSignal: 'SIGKILL' } as const;
    const child = spawn(path, args, { ...options, windowsHide: true });
    let output = '';
    const append = (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-65_536);
    };
    child.stdout.on('data', append);
    child.stderr.on('data', append);
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code) => resolve(code === 0 ? null : output));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}
