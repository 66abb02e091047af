// Load by wrk, where it is installed: it keeps a server busier than a generator on Node can.
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Load, Target } from './target.ts';

const run = promisify(execFile);

export function hasWrk(): boolean {
  try {
    execFileSync('wrk', ['--version'], { stdio: 'ignore' });
    return true;
  } catch (error) {
    // It tells its version with exit code 1.
    return !(error instanceof Error && 'code' in error && error.code === 'ENOENT');
  }
}

/** A busy machine makes requests late, which is no error. */
const PATIENCE = '60s';

const quote = (text: string) => JSON.stringify(text);

/** Each connection asks for the paths in turn; the requests are made once, before the load begins. */
function buildScript({ method, paths, headers, body }: Target): string {
  return `
wrk.method = ${quote(method)}
${Object.entries(headers)
  .map(([name, value]) => `wrk.headers[${quote(name)}] = ${quote(value)}`)
  .join('\n')}
${body === undefined ? '' : `wrk.body = [==[${body}]==]`}
local paths = {${paths.map(quote).join(',')}}
local requests = {}
local next = 0
function init()
  for index, path in ipairs(paths) do requests[index] = wrk.format(nil, path) end
  math.randomseed(os.time())
  next = math.random(#requests)
end
function request()
  next = next % #requests + 1
  return requests[next]
end
`;
}

const SECONDS: Readonly<Record<string, number>> = { us: 1e-6, ms: 1e-3, s: 1, m: 60 };

function parseDuration(text: string | undefined): number {
  const [, value, unit = ''] = /^([\d.]+)(us|ms|s|m)$/.exec(text ?? '') ?? [];
  return Number(value) * (SECONDS[unit] ?? Number.NaN) * 1000;
}

/** `seconds` is a whole number. */
export async function loadByWrk(target: Target, connections: number, seconds: number): Promise<Load> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-wrk-'));
  try {
    const script = join(folder, 'requests.lua');
    writeFileSync(script, buildScript(target));
    const args = [
      '-t1',
      `-c${connections}`,
      `-d${seconds}s`,
      '--timeout',
      PATIENCE,
      '--latency',
      '-s',
      script,
      target.origin,
    ];
    const { stdout } = await run('wrk', args);
    const wrong = /Non-2xx or 3xx responses: \d+|Socket errors: .*/.exec(stdout);
    if (wrong) throw new Error(`${target.paths[0]}: ${wrong[0]}`);
    const [, requests, ms] = /(\d+) requests in ([\d.]+\w+),/.exec(stdout) ?? [];
    return {
      requests: Number(requests),
      ms: parseDuration(ms),
      p50: parseDuration(/50%\s+(\S+)/.exec(stdout)?.[1]),
      p99: parseDuration(/99%\s+(\S+)/.exec(stdout)?.[1]),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
