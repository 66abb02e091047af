// Records each use of a database that is closed, by whatever code and whether or not it is caught, and each error that nothing catches.
import Database from 'better-sqlite3';

export interface ClosedStores extends Disposable {
  /** Where closed databases were used. */
  readonly uses: readonly string[];
  /** Uncaught errors and unhandled rejections. */
  readonly failures: readonly string[];
}

type Method = (
  this: { readonly database?: Database.Database; readonly open?: boolean },
  ...given: unknown[]
) => unknown;

const OF_STATEMENTS = ['run', 'get', 'all', 'iterate'];
const OF_DATABASES = ['prepare', 'transaction', 'exec', 'pragma'];

/** In this process, until it is disposed. */
export function watchClosedStores(): ClosedStores {
  const uses: string[] = [];
  const failures: string[] = [];
  const sample = new Database(':memory:');
  const statements = Object.getPrototypeOf(sample.prepare('SELECT 1'));
  sample.close();
  const restore = [...wrap(statements, OF_STATEMENTS), ...wrap(Object.getPrototypeOf(sample), OF_DATABASES)];

  function wrap(prototype: Record<string, Method>, names: readonly string[]): (() => void)[] {
    return names.map((name) => {
      const method = prototype[name] as Method;
      prototype[name] = function (...given) {
        if (!(this.database ?? this).open) uses.push(new Error(`${name} of a closed database`).stack ?? name);
        return method.apply(this, given);
      };
      return () => {
        prototype[name] = method;
      };
    });
  }

  const fail = (error: unknown) => void failures.push(error instanceof Error ? (error.stack ?? '') : String(error));
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  return {
    uses,
    failures,
    [Symbol.dispose]() {
      for (const back of restore) back();
      process.off('uncaughtException', fail);
      process.off('unhandledRejection', fail);
    },
  };
}
