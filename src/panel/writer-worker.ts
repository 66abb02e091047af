// The writer thread: runs a write that would hold the event loop, with a connection to the database of its own.
import { parentPort, workerData } from 'node:worker_threads';
import { noVault } from '../adapters/vault/no-vault.ts';
import { createHeavyEnv } from '../core/create-core.ts';
import { runHeavy } from '../core/dispatch.ts';
import type { Log } from '../core/ports/ports.ts';
import { openStore } from '../store/index.ts';
import type { WriterData, WriterReply, WriterRequest } from './heavy-messages.ts';
import { machineParts } from './machine-parts.ts';

if (!parentPort) throw new Error('this module is a worker thread');
const port = parentPort;
const { database }: WriterData = workerData;
let origin = '';

const say = (reply: WriterReply) => port.postMessage(reply);
const tell =
  (level: 'info' | 'warn' | 'error'): Log['info'] =>
  (event, fields = {}) =>
    say({ level, event, fields: JSON.parse(JSON.stringify(fields)) });

const store = openStore(database);
const env = createHeavyEnv({
  ...machineParts(),
  store,
  vault: noVault,
  log: { info: tell('info'), warn: tell('warn'), error: tell('error') },
  heavy: null,
  host: () => null,
  origin: () => origin,
});

port.on('message', (request: WriterRequest | 'close') => {
  if (request === 'close') {
    store.close();
    port.close();
    return;
  }
  const { id, operation, input, call } = request;
  origin = request.origin;
  try {
    // The input crossed threads as plain data; the panel's thread has validated it for this operation.
    say({ id, outcome: runHeavy(env, operation, input as never, call) });
  } catch (error) {
    say({ id, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
