// A real client that reads its configuration from a file.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { EngineProgram } from '../support/engines.ts';
import { getProgramPath } from './found.ts';

export interface RunningClient extends AsyncDisposable {
  readonly output: () => string;
}

/** Starts a client that reads its configuration from a file, and waits until it says that it runs. */
export async function startClient(
  program: Exclude<EngineProgram, 'v2ray' | 'xray' | 'xray-new' | 'xray-newest'>,
  args: readonly string[],
  isReady: RegExp,
): Promise<RunningClient> {
  const child = spawn(getProgramPath(program), args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const ready = Promise.withResolvers<void>();
  const onText = (text: string) => {
    output += text;
    if (isReady.test(output)) ready.resolve();
  };
  child.stdout.setEncoding('utf8').on('data', onText);
  child.stderr.setEncoding('utf8').on('data', onText);
  const ended = once(child, 'close');
  void ended.then(() => ready.reject(new Error(`${program} ended: ${output}`)));
  await ready.promise;
  return {
    output: () => output,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
