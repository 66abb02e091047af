// Checks templates of subscription links before they are saved: with sample connections, and by Xray if this machine has it.
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import type { TemplateDocument } from '../contract/subscription/templates.ts';
import type { Templates } from '../core/kernel/core.ts';
import { parseOwnJson } from '../domain/own-json.ts';
import { environment } from '../engines/engine-process.ts';
import { buildArguments, type EngineProgram } from '../engines/engine-program.ts';
import { builtInTemplates } from '../subscription/templates/built-in.ts';
import { writeSample } from '../subscription/templates/sample.ts';
import { isTemplateFault } from '../subscription/templates/template.ts';

const CHECK_MS = 10_000;
const MAX_OUTPUT = 65_536;
/** Files of Xray that apps include, and that this machine may lack. */
const LISTS = /geo(?:ip|site)\.dat/;

interface Verdict {
  readonly code: number | null;
  readonly output: string;
}

function runCheck(program: EngineProgram, text: string): Promise<Verdict> {
  return new Promise((resolve) => {
    const child = spawn(program.path, buildArguments(program, true), {
      cwd: tmpdir(),
      env: environment(),
      timeout: CHECK_MS,
      killSignal: 'SIGKILL',
      windowsHide: true,
    });
    let output = '';
    const append = (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-MAX_OUTPUT);
    };
    child.stdout.on('data', append);
    child.stderr.on('data', append);
    child.once('error', () => resolve({ code: 0, output: '' }));
    child.once('close', (code) => resolve({ code, output }));
    child.stdin.on('error', () => {});
    child.stdin.end(text);
  });
}

/** The last line of Xray's output, without the leading chain of modules. */
function extractReason(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  return (lines.at(-1) ?? '').split(' > ').slice(-2).join(' > ').slice(0, 300);
}

/** Xray opens the files of its log also where it only tests a configuration. */
function withoutLogFiles(sample: string): string {
  return JSON.stringify({
    ...(parseOwnJson(sample) as object),
    log: { access: 'none', error: 'none', loglevel: 'warning' },
  });
}

/** `findXray` returns the program of this machine's engine; null: there is none. */
export function createTemplates(findXray: () => Promise<EngineProgram | null>): Templates {
  async function check(document: TemplateDocument, text: string): Promise<string | null> {
    let sample: string;
    try {
      sample = writeSample(document, text);
    } catch (error) {
      if (!isTemplateFault(error)) throw error;
      return error.message;
    }
    const program = document === 'xray' ? await findXray() : null;
    if (program?.name !== 'xray') return null;
    const { code, output } = await runCheck(program, withoutLogFiles(sample));
    return code === 0 || code === null || LISTS.test(output) ? null : `program: ${extractReason(output)}`;
  }
  return { builtIn: builtInTemplates, check };
}
