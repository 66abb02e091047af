// What the command line prints and asks. Answers go to stdout, everything else to stderr, so that scripts get the answer alone.
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { refusal } from '../panel/refusal.ts';

export function print(line = ''): void {
  process.stdout.write(`${line}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Rows under their headings, each column as wide as its widest cell. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
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

/** The administrator's password: typed without an echo, or the first line of stdin where that is no terminal. */
export async function askPassword(question = 'Password of the administrator: '): Promise<string> {
  const password = process.stdin.isTTY ? await typeUnseen(question) : await firstLineOfStdin();
  if (password === '') throw refusal('refused', 'A password is needed: type it at a terminal or pass it on stdin.');
  return password;
}

/**
 * What proves the administrator: the password and, where the second factor is on, a code of the app or a recovery code. Where
 * stdin is no terminal they are its first and second line.
 */
export async function askProof(needsCode: boolean): Promise<{ readonly password: string; readonly code?: string }> {
  if (!needsCode) return { password: await askPassword() };
  const isTyped = process.stdin.isTTY;
  const [password = '', code = ''] = isTyped
    ? [await askPassword(), await typeUnseen('Code of the authenticator app, or a recovery code: ')]
    : await linesOfStdin();
  if (password === '' || code === '') {
    throw refusal('refused', 'The second factor is on: the password and a code are needed, on stdin as two lines.');
  }
  return { password, code };
}

/** A new password: typed twice at a terminal; once where it is passed on stdin. */
export async function askNewPassword(): Promise<string> {
  const password = await askPassword('New password (at least 8 characters): ');
  if (process.stdin.isTTY && (await typeUnseen('The same again: ')) !== password) {
    throw refusal('refused', 'The two passwords differ. Nothing was changed.');
  }
  return password;
}

/**
 * A passphrase for a new backup: the first line of stdin where that was asked for, typed twice at a terminal, where an empty one
 * means none. null: none.
 */
export async function askNewPassphrase(isOnStdin: boolean): Promise<string | null> {
  if (isOnStdin) return askPassphrase(true);
  if (!process.stdin.isTTY) return null;
  const passphrase = await typeUnseen('Passphrase (at least 8 characters; empty: in clear, without the secrets): ');
  if (passphrase === '') return null;
  if ((await typeUnseen('The same again: ')) !== passphrase) {
    throw refusal('refused', 'The two passphrases differ. No backup was made.');
  }
  return passphrase;
}

/** The passphrase of a backup: the first line of stdin where that was asked for or stdin is no terminal, else typed. */
export async function askPassphrase(isOnStdin: boolean): Promise<string> {
  const passphrase = isOnStdin || !process.stdin.isTTY ? await firstLineOfStdin() : await typeUnseen('Passphrase: ');
  if (passphrase === '') throw refusal('refused', 'A passphrase is needed: type it at a terminal or pass it on stdin.');
  return passphrase;
}

/** Reads a line at the terminal; editing keys work, nothing of it is shown. Ctrl-C and Ctrl-D end the command. */
function typeUnseen(question: string): Promise<string> {
  process.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output: nowhere, terminal: true, historySize: 0 });
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      reader.close();
      reject(refusal('refused', 'Nothing was typed. Nothing was changed.'));
    };
    reader.on('SIGINT', giveUp);
    reader.on('close', () => {
      process.stderr.write('\n');
      giveUp();
    });
    reader.once('line', (line) => {
      resolve(line);
      reader.close();
    });
  });
}

async function firstLineOfStdin(): Promise<string> {
  const [line = ''] = await linesOfStdin();
  return line;
}

async function linesOfStdin(): Promise<string[]> {
  return (await text(process.stdin)).split('\n').map((line) => line.replace(/\r$/, ''));
}
