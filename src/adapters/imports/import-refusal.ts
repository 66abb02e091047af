// Why a file cannot be imported at all.
import type { ImportProblem } from '../../core/ports/imports.ts';

export class ImportRefusal extends Error {
  readonly problem: ImportProblem;
  /** Where it is, in words of the file; else empty. */
  readonly detail: string;

  constructor(problem: ImportProblem, detail = '') {
    super(problem);
    this.problem = problem;
    this.detail = detail;
  }
}
