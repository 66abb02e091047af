#!/usr/bin/env node
// The `panel` command: finds a Node that is new enough, then hands over to the sources (checkout) or to the bundle (installed).
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const NEEDED_MAJOR = 24;
/** By then a panel has loaded all its modules. */
const LOADED_MS = 10_000;

if (Number.parseInt(process.versions.node, 10) >= NEEDED_MAJOR) await runHere();
else runInNewerNode();

async function runHere() {
  const source = new URL('../src/cli/index.ts', import.meta.url);
  const bundle = new URL('../out/main/cli.js', import.meta.url);
  cacheCompiled(fileURLToPath(new URL('../node_modules/.cache/gatehouse', import.meta.url)));
  if (existsSync(source)) await import(source.href);
  else if (existsSync(bundle)) await import(bundle.href);
  else fail('neither src/cli/index.ts nor out/main/cli.js is here. Run `npm run build` first.');
}

/**
 * Caches what Node compiles of the sources: the next start takes half the time and 30 MB less. The cache is as safe as the sources,
 * which lie beside it. Where the folder cannot be written to, there is no cache.
 */
function cacheCompiled(folder) {
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE ?? folder);
  setTimeout(module.flushCompileCache, LOADED_MS).unref();
}

/** The `node` package brings its own binary, so that a machine with an older Node needs nothing but `npm ci`. */
function runInNewerNode() {
  const newer = ['../node_modules/node/bin/node', '../node_modules/node/bin/node.exe', '../../node/bin/node']
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(path));
  if (!newer)
    fail(
      `Node ${NEEDED_MAJOR} or newer is needed, this is ${process.version}. Run \`npm ci\`, or install the package with --allow-scripts=node.`,
    );

  const child = spawn(newer, [...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2']) {
    // The child decides when it is done. A terminal's Ctrl-C reaches the child by itself; twice would mean "now".
    const isFromTerminal = process.stdin.isTTY && (signal === 'SIGINT' || signal === 'SIGQUIT');
    process.on(signal, () => isFromTerminal || child.kill(signal));
  }
  child.on('error', (error) => fail(`${newer} could not be started: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}

function fail(message) {
  process.stderr.write(`panel: ${message}\n`);
  process.exit(1);
}
