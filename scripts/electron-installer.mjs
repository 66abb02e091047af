// Runs Electron's installer, whose path is the argument: its error goes to file descriptor 3, so that the terminal shows its progress alone.
import { writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

console.error = (text) => writeSync(3, `${text}\n`);
await import(pathToFileURL(process.argv[2]).href);
