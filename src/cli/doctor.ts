// `panel doctor`: what is wrong with this panel and what to do about it, as text or JSON.
import { findDataFolder } from '../adapters/data-folder.ts';
import type { Finding, Verdict } from '../domain/finding.ts';
import { renderCommands } from '../panel/command-name.ts';
import { examine } from '../panel/doctor.ts';
import { runCommand } from '../panel/run-command.ts';
import { print, printJson, printText } from './terminal.ts';

const MARKS: Readonly<Record<Verdict, string>> = { ok: 'ok      ', warning: 'warning ', problem: 'PROBLEM ' };
const PROBLEM_FOUND = 1;

/** Sets exit code 1 when there is a problem; warnings leave it 0. */
export async function doctor({
  data,
  json,
  keyFile,
  confirmTime = false,
}: {
  data?: string;
  json?: boolean;
  keyFile?: string;
  confirmTime?: boolean;
}): Promise<void> {
  const folder = findDataFolder(data);
  if (confirmTime) await runCommand(data, 'confirm-clock', {});
  printFindings(folder, await examine(folder, { keyFile: keyFile ?? null }), json);
}

/** Prints them as text or JSON, with the exit code that `doctor` documents. */
export function printFindings(folder: string, checks: readonly Finding[], json = false): void {
  const isOk = checks.every(({ verdict }) => verdict !== 'problem');
  if (!isOk) process.exitCode = PROBLEM_FOUND;
  if (json) {
    const rendered = checks.map(({ advice, ...rest }) => ({ ...rest, advice: advice && renderCommands(advice) }));
    printJson({ ok: isOk, folder, checks: rendered });
    return;
  }
  const width = Math.max(...checks.map(({ check }) => check.length));
  for (const { check, verdict, found, advice } of checks) {
    printText(`${MARKS[verdict]}  ${check.padEnd(width)}  ${found}`);
    if (advice) printText(`${' '.repeat(10 + width)}  ${advice}`);
  }
  print(isOk ? '\nNothing stands in the way.' : '\nSomething needs you: see the lines marked PROBLEM.');
}
