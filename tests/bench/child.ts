// Processes of the bench: servers, generators and fillers, each a child that answers its parent's questions.
import { type ChildProcess, fork } from 'node:child_process';
import { basename } from 'node:path';

interface Question {
  readonly id: number;
  readonly name: string;
  readonly argument: unknown;
}
interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

export interface Child {
  /** Rejects with what went wrong over there, or when the child ends. */
  call<T>(name: string, argument?: unknown): Promise<T>;
  /** Lets it close what it has open. */
  stop(): Promise<void>;
}

const STOP = 'stop';

/** Starts a module as a child, with options of Node and more variables where they are given. */
export function startChild(url: URL, execArgv: string[] = [], variables: NodeJS.ProcessEnv = {}): Child {
  const env = { ...process.env, ...variables };
  const child: ChildProcess = fork(url, [], { serialization: 'advanced', execArgv, env });
  const module = basename(url.pathname);
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let lastId = 0;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.on('message', ({ id, value, error }: Answer) => {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) asked?.resolve(value);
    else asked?.reject(new Error(`${module}: ${error}`));
  });
  child.once('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`${module} ended with exit code ${code}`));
    waiting.clear();
  });
  const call = <T>(name: string, argument?: unknown): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const id = ++lastId;
      waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      child.send({ id, name, argument } satisfies Question);
    });
  return {
    call,
    async stop() {
      if (child.exitCode !== null) return;
      await call(STOP);
      child.disconnect();
      await ended;
    },
  };
}

// Methods, so that each may narrow what it is asked with.
export interface Answers {
  [name: string]: { answer(argument: never): unknown }['answer'];
}

/** For the child: answers by name; `stop` is among them. It ends when its parent does. */
export function answerParent(answers: Answers & { stop(): unknown }): void {
  process.on('message', ({ id, name, argument }: Question) => {
    const answer = answers[name] as ((argument: unknown) => unknown) | undefined;
    const run = async () => {
      if (answer === undefined) throw new Error(`no answer to ${name}`);
      return answer(argument);
    };
    run().then(
      (value) => process.send?.({ id, value } satisfies Answer),
      (error: unknown) => process.send?.({ id, error: error instanceof Error ? (error.stack ?? '') : String(error) }),
    );
  });
  process.once('disconnect', () => process.exit());
}
