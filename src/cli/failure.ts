// How a command ends that was not carried out: one clear sentence and an exit code, never a stack trace.
import { ERRORS } from '../contract/errors.ts';
import { PanelError } from '../core/panel-error.ts';
import { EXIT_CODES, isRefusal, reasonOf } from '../panel/refusal.ts';
import { say } from './terminal.ts';

const DEFECT = 1;

/** Says what went wrong and returns the exit code for it. */
export function explainFailure(error: unknown): number {
  say(`panel: ${sentenceOf(error)}`);
  if (isRefusal(error)) return EXIT_CODES[error.refusal];
  return error instanceof PanelError && error.code !== 'internal' ? EXIT_CODES.refused : DEFECT;
}

function sentenceOf(error: unknown): string {
  if (isRefusal(error)) return error.message;
  if (error instanceof PanelError) {
    const details = (error.errors ?? []).map(({ pointer, parameter, message }) => {
      const where = (pointer ?? parameter ?? '').replace(/^#\//, '');
      return `\n  ${where ? `${where}: ` : ''}${message}`;
    });
    return `${ERRORS[error.code].title}.${details.join('')}`;
  }
  return `This should not have happened: ${reasonOf(error)}`;
}
