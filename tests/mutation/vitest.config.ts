// The tests that judge one module's mutants: named by scripts/mutation.ts, in one process, without the other projects.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'node',
    include: (process.env.MUTATION_TESTS ?? '').split(','),
    testTimeout: 120_000,
    hookTimeout: 120_000,
    setupFiles: [new URL('setup.ts', import.meta.url).pathname],
  },
});
