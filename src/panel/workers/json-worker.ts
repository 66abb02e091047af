// The thread for large JSON of others, so that it takes no time of the thread that answers the panel's users.
import { serveTasks } from '../../adapters/worker-thread.ts';
import { parseCountedJson } from '../../domain/foreign-json.ts';
import { parseStrictJson } from '../../door/parse.ts';

const tasks = {
  /** A reply of a node, or of Telegram; null: it is not JSON. */
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
