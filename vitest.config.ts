// The suites: one project for each environment's unit tests and one for each folder of tests/, which scripts/test.ts runs apart.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { listSystemFiles } from './scripts/system-parts.ts';

const unit = {
  std: ['i18n', 'contract', 'domain', 'core', 'subscription'],
  node: [
    'store',
    'adapters',
    'engines',
    'agent',
    'payments',
    'bot',
    'door',
    'http',
    'panel',
    'cli',
    'main',
    'bridge',
    'preload',
  ],
  web: ['renderer'],
};

/** Folders of tests/ that cross a boundary. Browser tests (tests/e2e) belong to Playwright. */
const crossing = [
  'http',
  'panel',
  'attacks',
  'webhooks',
  'payments',
  'backup',
  'keychain',
  'cli',
  'contract',
  'disk',
  'fuzz',
  'migrations',
  'torture',
  'transport',
  'shell',
  'desktop',
  'engines',
  'updates',
  'commands',
  'acme',
];

/** `npm test` leaves out what `npm run test:system` runs. */
const excluded = (name: string) => (process.env.GATEHOUSE_TEST_COMMAND === 'test' ? listSystemFiles(name) : []);

const unitProjects = Object.entries(unit).map(([name, folders]) => ({
  extends: true as const,
  test: {
    name,
    include: folders.map((folder) => `src/${folder}/**/*.test.{ts,tsx}`),
    exclude: [...excluded(name)],
  },
}));

const isThere = (path: string) => existsSync(new URL(path, import.meta.url));

const crossingProjects = crossing
  .filter((name) => isThere(`./tests/${name}`))
  .map((name) => ({
    extends: true as const,
    test: {
      name,
      include: [`tests/${name}/**/*.test.ts`],
      // What a folder needs of the machine, before its first test.
      globalSetup: [`./tests/${name}/setup.ts`].filter(isThere),
      // The packed application is that of Electron's binary.
      exclude: [
        ...excluded(name),
        ...(process.env.GATEHOUSE_TEST_ELECTRON === '1' ? [] : ['tests/desktop/packed.test.ts']),
      ],
      // One at a time: a desktop's panel takes the first free port and keeps it, so that between two starts of one another could take it.
      ...(name === 'desktop' && { fileParallelism: false }),
      testTimeout: 600_000,
      hookTimeout: 600_000,
    },
  }));

export default defineConfig({
  test: {
    environment: 'node',
    setupFiles: ['./tests/support/properties.ts'],
    passWithNoTests: true,
    // For what hangs, not for what is slow: a busy machine must not fail a test.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    allowOnly: false,
    // Native SQLite and password hashing keep a core busy each.
    maxWorkers: 2,
    // Files share a worker and what it has imported: no test changes modules, and loading them for each file takes half of all time.
    isolate: false,
    // Compiled code for Node's own loader, also in the processes that tests start: those begin in half the time.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/node', import.meta.url)) },
    projects: [...unitProjects, ...crossingProjects],
  },
});
