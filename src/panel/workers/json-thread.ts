// The thread that parses large JSON, as its callers use it.
import { moduleBeside, openTaskThread } from '../../adapters/worker-thread.ts';
import type { ParseLargeJson } from '../../core/ports/json.ts';
import { JsonRefusal } from '../../domain/foreign-json.ts';
import type { JsonTasks } from './json-worker.ts';

const IDLE_MS = 60_000;

export interface JsonThread {
  readonly parseReply: ParseLargeJson;
  /** Rejects with PanelError `bad_json`. */
  readonly parseBody: ParseLargeJson;
  close(): Promise<void>;
}

export function createJsonThread(): JsonThread {
  const thread = openTaskThread<JsonTasks>({
    name: 'parser thread',
    module: moduleBeside(import.meta.url, 'json-worker'),
    idleMs: IDLE_MS,
  });
  return {
    async parseReply(bytes) {
      const parsed = await thread.run('reply', bytes);
      if (parsed === null) throw new JsonRefusal('syntax', 'not JSON');
      return parsed.value;
    },
    parseBody: (bytes) => thread.run('body', bytes),
    close: thread.close,
  };
}
