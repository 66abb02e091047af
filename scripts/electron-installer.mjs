// Runs Electron's installer, whose path is the argument: its error goes to file descriptor 3, so that the terminal shows its progress alone.
import { writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

console.error = (text) => writeSync(3, `${text}\n`);
// What Node's fetch says of a network that fails is "fetch failed"; why is in the cause.
const { fetch } = globalThis;
globalThis.fetch = (...args) =>
  fetch(...args).catch((error) => {
    throw error.cause instanceof Error ? error.cause : error;
  });
await import(pathToFileURL(process.argv[2]).href);
