// The thread that parses large JSON from other machines, so that the thread that answers requests stays free.
import { serveTasks } from '../../adapters/worker-thread.ts';
import { parseCountedJson } from '../../domain/foreign-json.ts';
import { parseStrictJson } from '../../door/parse.ts';

const tasks = {
  /** A reply of a node, or of Telegram; null: not JSON. */
  reply(bytes: Uint8Array) {
    try {
      return { value: parseCountedJson(bytes) };
    } catch {
      return null;
    }
  },
  /** The body of a request to this panel. */
  body: (bytes: Uint8Array) => parseStrictJson(bytes),
};

export type JsonTasks = typeof tasks;

serveTasks(tasks);
