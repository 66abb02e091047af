// How the sources become out/: the shell and the command line (main), the preload as one CommonJS file, and the pages.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type UserConfig } from 'electron-vite';
import type { Plugin } from 'vite';
import { renderer } from './renderer.vite.config.ts';

const root = import.meta.dirname;
const DEV_PORT = 5173;

/** Entries of the main bundle by output name. Workers are entries too: they are started by their file name. */
const mainEntries = {
  index: 'src/main/index.ts',
  cli: 'src/cli/index.ts',
  'checkpoint-worker': 'src/panel/workers/checkpoint-worker.ts',
  'import-worker': 'src/panel/workers/import-worker.ts',
  'json-worker': 'src/panel/workers/json-worker.ts',
  'payment-worker': 'src/panel/workers/payment-worker.ts',
  'webhook-worker': 'src/panel/workers/webhook-worker.ts',
  'writer-worker': 'src/panel/workers/writer-worker.ts',
  'backup-worker': 'src/panel/backup/backup-worker.ts',
  'place-worker': 'src/adapters/places/place-worker.ts',
  'keychain-worker': 'src/adapters/vault/keychain-worker.ts',
};

const preloadEntry = 'src/preload/index.ts';

/** The store reads its migrations from the folder beside the module that runs them. */
function copyMigrations(): Plugin {
  const folder = join(root, 'src/store/migrations');
  return {
    name: 'copy-migrations',
    generateBundle() {
      for (const name of readdirSync(folder).filter((file) => file.endsWith('.sql'))) {
        this.emitFile({ type: 'asset', fileName: `migrations/${name}`, source: readFileSync(join(folder, name)) });
      }
    },
  };
}

const main: UserConfig['main'] = {
  plugins: [copyMigrations()],
  build: {
    // Every package of `dependencies` stays in node_modules: native ones must, and a stack trace then names the package.
    externalizeDeps: true,
    sourcemap: true,
    rolldownOptions: {
      input: mainEntries,
      // Flat: modules find their neighbours (migrations, workers, pages) by import.meta.url.
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: '[name]-[hash].js',
        // Those of licences stay; others are an eighth of the code, and a reader has the sources.
        comments: { jsdoc: false },
      },
    },
  },
};

const preload: UserConfig['preload'] = {
  build: {
    // A sandboxed preload can load nothing but `electron`, so it is one file.
    externalizeDeps: false,
    isolatedEntries: true,
    rolldownOptions: { input: { index: preloadEntry }, output: { format: 'cjs', entryFileNames: '[name].cjs' } },
  },
};

/** The pages of `npm run dev:desktop`: src/main/dev-pages.ts fetches them from here, and only the socket of hot reload comes directly. */
const served: UserConfig['renderer'] = {
  ...renderer,
  // Replaced by a fresh one in each page.
  html: { cspNonce: '__STYLE_NONCE__' },
  server: {
    host: '127.0.0.1',
    port: DEV_PORT,
    strictPort: true,
    hmr: { protocol: 'ws', host: '127.0.0.1', clientPort: DEV_PORT },
  },
};

export default defineConfig(({ command }) => ({
  main,
  preload,
  renderer: command === 'serve' ? served : renderer,
}));
