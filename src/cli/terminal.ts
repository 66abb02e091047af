// Input and output of the commands. Results go to stdout, everything else to stderr, so that scripts read the result alone.
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describeSystemError, EXIT_CODES, isRefusal, refusal } from '../adapters/refusal.ts';
import { ERRORS } from '../contract/errors.ts';
import { PanelError } from '../core/kernel/panel-error.ts';
import { renderCommands } from '../panel/command-name.ts';

/** Prints a result unchanged. */
export function print(line = ''): void {
  process.stdout.write(`${line}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** Prints a sentence as a result; commands in it are written as they are typed on this installation. */
export function printText(line: string): void {
  print(renderCommands(line));
}

/** Prints a message to stderr; commands in it are written as they are typed on this installation. */
export function notify(line: string): void {
  process.stderr.write(`${renderCommands(line)}\n`);
}

const DEFECT = 1;

/** Prints why a command failed, as one sentence without a stack trace, and returns the exit code. */
export function reportFailure(error: unknown): number {
  notify(`panel: ${describeFailure(error)}`);
  if (isRefusal(error)) return EXIT_CODES[error.refusal];
  return error instanceof PanelError && error.code !== 'internal' ? EXIT_CODES.refused : DEFECT;
}

function describeFailure(error: unknown): string {
  if (isRefusal(error)) return error.message;
  if (error instanceof PanelError) {
    const details = (error.errors ?? []).map(({ pointer, parameter, message }) => {
      const where = (pointer ?? parameter ?? '').replace(/^#\//, '');
      return `\n  ${where ? `${where}: ` : ''}${message}`;
    });
    return `${ERRORS[error.code].title}.${details.join('')}`;
  }
  return `This should not have happened: ${describeSystemError(error)}`;
}

/** Rows under their headings, each column as wide as its widest cell. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** The administrator's password: typed without echo, or the first line of stdin if that is not a terminal. */
export async function askPassword(question = 'Password of the administrator: '): Promise<string> {
  const password = process.stdin.isTTY ? await readHidden(question) : await readStdinLine();
  if (password === '') throw refusal('refused', 'A password is needed: type it at a terminal or pass it on stdin.');
  return password;
}

/**
 * The password and, if the second factor is on, a code of the authenticator app or a recovery code: typed, or the first and second
 * line of stdin if that is not a terminal.
 */
export async function askProof(needsCode: boolean): Promise<{ readonly password: string; readonly code?: string }> {
  if (!needsCode) return { password: await askPassword() };
  const [password = '', code = ''] = process.stdin.isTTY
    ? [await askPassword(), await readHidden('Code of the authenticator app, or a recovery code: ')]
    : await readStdinLines();
  if (password === '' || code === '') {
    throw refusal('refused', 'The second factor is on: the password and a code are needed, on stdin as two lines.');
  }
  return { password, code };
}

/** The token that joins a machine: typed without echo, or the first line of stdin if that is not a terminal. */
export async function askToken(): Promise<string> {
  const token = (process.stdin.isTTY ? await readHidden('Token from the panel: ') : await readStdinLine()).trim();
  if (token === '') throw refusal('refused', 'A token is needed: type it at a terminal or pass it on stdin.');
  return token;
}

/** A new password: typed twice at a terminal, or once on stdin. */
export async function askNewPassword(): Promise<string> {
  const password = await askPassword('New password (at least 8 characters): ');
  if (process.stdin.isTTY && (await readHidden('The same again: ')) !== password) {
    throw refusal('refused', 'The two passwords differ. Nothing was changed.');
  }
  return password;
}

/** A passphrase for a new backup: the first line of stdin if `isOnStdin`, else typed twice at a terminal. null: empty, or no terminal. */
export async function askNewPassphrase(isOnStdin: boolean): Promise<string | null> {
  if (isOnStdin) return askPassphrase(true);
  if (!process.stdin.isTTY) return null;
  const passphrase = await readHidden('Passphrase (at least 8 characters; empty: in clear, without the secrets): ');
  if (passphrase === '') return null;
  if ((await readHidden('The same again: ')) !== passphrase) {
    throw refusal('refused', 'The two passphrases differ. No backup was made.');
  }
  return passphrase;
}

/** The passphrase of a backup: the first line of stdin if `isOnStdin` or stdin is not a terminal, else typed. */
export async function askPassphrase(isOnStdin: boolean): Promise<string> {
  const passphrase = isOnStdin || !process.stdin.isTTY ? await readStdinLine() : await readHidden('Passphrase: ');
  if (passphrase === '') throw refusal('refused', 'A passphrase is needed: type it at a terminal or pass it on stdin.');
  return passphrase;
}

/** Throws a refusal unless the answer is yes. Scripts pass --yes instead. */
export async function askConfirmation(question: string): Promise<void> {
  if (!process.stdin.isTTY) throw refusal('refused', `${question} Add --yes to answer without a terminal.`);
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await new Promise<string>((resolve) => {
    reader.on('close', () => resolve(''));
    reader.question(`${question} [y/N] `, resolve);
  });
  reader.close();
  if (!/^y(?:es)?$/i.test(answer.trim())) throw refusal('refused', 'Nothing was changed.');
}

/** Reads a line at the terminal without showing it; editing keys work. Ctrl-C and Ctrl-D end the command. */
function readHidden(question: string): Promise<string> {
  process.stderr.write(question);
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output: discard, terminal: true, historySize: 0 });
  return new Promise((resolve, reject) => {
    const abort = () => {
      reader.close();
      reject(refusal('refused', 'Nothing was typed. Nothing was changed.'));
    };
    reader.on('SIGINT', abort);
    reader.on('close', () => {
      process.stderr.write('\n');
      abort();
    });
    reader.once('line', (line) => {
      resolve(line);
      reader.close();
    });
  });
}

/** All of stdin. */
export function readStdinText(): Promise<string> {
  return text(process.stdin);
}

async function readStdinLine(): Promise<string> {
  const [line = ''] = await readStdinLines();
  return line;
}

async function readStdinLines(): Promise<string[]> {
  return (await readStdinText()).split('\n').map((line) => line.replace(/\r$/, ''));
}
