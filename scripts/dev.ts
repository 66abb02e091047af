// `npm run dev`: the panel for development, in any browser. Vite serves the pages from their sources with hot reload, under the panel's
// own secret path, and passes every other request to a panel that runs from its sources and restarts when they change.
// Arguments are those of `panel serve`: `npm run dev -- --demo`. Nothing of this is part of a build.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, watch } from 'node:fs';
import { createServer as createSocketServer } from 'node:net';
import { join } from 'node:path';
import { createServer, type Plugin } from 'vite';
import { renderer } from '../renderer.vite.config.ts';
import { devPolicy } from '../src/main/dev-pages.ts';

const root = join(import.meta.dirname, '..');
const HOST = '127.0.0.1';
const FIRST_PORT = 5173;
/** Editors save a file in several steps; what changes within this time is one change. */
const SETTLE_MS = 100;
/** Sources that the panel does not run: Vite watches the pages and their texts, `npm run dev:desktop` the shell. */
const NOT_THE_PANEL = /^(?:renderer|i18n.\w+.pages|main|preload|bridge)\b|\.test\.tsx?$/;

const args = process.argv.slice(2);

/** The first port from `port` on that nothing listens on. */
async function findPort(port: number): Promise<number> {
  const socket = createSocketServer();
  const isFree = await new Promise<boolean>((resolve) => {
    socket.once('error', () => resolve(false));
    socket.listen(port, HOST, () => resolve(true));
  });
  if (!isFree) return findPort(port + 1);
  socket.close();
  await once(socket, 'close');
  return port;
}

/** A data folder of its own, so that unfinished code never migrates real data. */
function dataArguments(): string[] {
  if (args.some((argument) => /^--(?:data|demo)\b/.test(argument))) return [];
  const folder = join(root, '.dev');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return ['--data', join(folder, 'data'), '--key-file', join(folder, 'master.key')];
}

const pagesPort = await findPort(FIRST_PORT);
const panelPort = await findPort(pagesPort + 1);
const origin = `http://${HOST}:${pagesPort}`;
const listening = ['--http', '--host', HOST, '--port', String(panelPort), '--public-url', origin];
const panelCommand = [join(root, 'bin/panel.mjs'), 'serve', ...listening, ...dataArguments(), ...args];

let panel: ChildProcess | null = null;
/** Resolves when the present start has ended: to the panel's address, or to null where it failed. */
let started: Promise<string | null> = Promise.resolve(null);

/** Starts the panel; `prints`: passes on what it prints about itself. What it reports as an error is always passed on. */
function startPanel(prints: boolean): Promise<string | null> {
  const child = spawn(process.execPath, panelCommand, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  panel = child;
  return new Promise((resolve) => {
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (prints) process.stdout.write(text);
      output += text;
      const address = /^ {2}Panel +(\S+)$/m.exec(output)?.[1];
      if (address !== undefined) resolve(address);
    });
    child.on('exit', () => {
      if (panel === child) panel = null;
      resolve(null);
    });
  });
}

async function stopPanel(): Promise<void> {
  const child = panel;
  if (child === null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

async function restartPanel(): Promise<string | null> {
  const startedAt = performance.now();
  await stopPanel();
  const address = await startPanel(false);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(
    address === null
      ? 'The panel does not start; it is tried again at the next change.'
      : `Panel restarted in ${seconds} s.`,
  );
  return address;
}

/** Restarts the panel after changes, one restart at a time. */
function watchPanel(): void {
  let timer: NodeJS.Timeout | undefined;
  watch(join(root, 'src'), { recursive: true }, (_event, path) => {
    if (path === null || NOT_THE_PANEL.test(path)) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      started = started.then(restartPanel);
    }, SETTLE_MS);
  });
}

/** What the panel does for built pages: the policy, the nonce of styles made at run time, and the way from a setup link to its page. */
function asThePanelServes(base: string): Plugin {
  const nonce = randomBytes(16).toString('base64url');
  const policy = devPolicy(nonce, origin.replace('http', 'ws'));
  return {
    name: 'as-the-panel-serves',
    config: () => ({ html: { cspNonce: nonce } }),
    transformIndexHtml: (html) => html.replaceAll('__STYLE_NONCE__', nonce),
    configureServer({ middlewares }) {
      middlewares.use((request, response, next) => {
        response.setHeader('Content-Security-Policy', policy);
        const setup = request.url?.startsWith(`${base}setup/`) ? request.url.slice(`${base}setup/`.length) : null;
        if (setup === null) return next();
        response.writeHead(302, { Location: `${base}#/setup/${setup}` }).end();
      });
    },
  };
}

started = startPanel(true);
const address = await started;
if (address === null) process.exit(1);
const base = new URL(address).pathname;

const pages = await createServer({
  ...renderer,
  configFile: false,
  base,
  plugins: [...(renderer.plugins ?? []), asThePanelServes(base)],
  server: {
    host: HOST,
    port: pagesPort,
    strictPort: true,
    proxy: {
      // Everything but the pages: the doors below the secret path, and the subscription links beside it.
      [`^/(?!${base.slice(1)})|^${base}(?:panel|api)/`]: {
        target: `http://${HOST}:${panelPort}`,
        // While the panel restarts, requests wait.
        bypass: async () => {
          await started;
        },
      },
    },
  },
});
await pages.listen();
watchPanel();
console.log(`Pages and panel are at ${origin}${base}; changes of both show by themselves.`);

// However this process ends, no panel stays behind.
process.on('exit', () => panel?.kill());
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    // Ctrl-C reaches the panel by itself; a second signal would end it at once.
    if (signal === 'SIGTERM' || !process.stdin.isTTY) await stopPanel();
    else if (panel !== null) await once(panel, 'exit');
    await pages.close();
    process.exit(0);
  });
}
