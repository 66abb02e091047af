// What the panel's thread and the thread of backups tell each other. All of it is plain data: it is cloned on the way.
import type { ErrorCode } from '../../contract/errors.ts';
import type { TASKS } from './tasks.ts';

export type TaskName = keyof typeof TASKS;
export type TaskInput<Name extends TaskName> = Parameters<(typeof TASKS)[Name]>[0];
export type TaskOutput<Name extends TaskName> = Awaited<ReturnType<(typeof TASKS)[Name]>>;

export type TaskRequest = { readonly name: TaskName; readonly input: unknown };
export type TaskReply = { readonly result: unknown } | { readonly code: ErrorCode } | { readonly failure: string };
