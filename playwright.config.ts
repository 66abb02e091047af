// Browser tests: real panels in temporary folders, the system's Chromium, the pages as they are built.
import { defineConfig } from '@playwright/test';
import { launchOptions } from './tests/support/chromium.ts';

export default defineConfig({
  testDir: 'tests/e2e',
  outputDir: 'test-results',
  globalSetup: './tests/e2e/support/global-setup.ts',
  fullyParallel: true,
  workers: 2,
  forbidOnly: true,
  retries: 0,
  // For what hangs, not for what is slow: a busy machine must not fail a test.
  timeout: 900_000,
  expect: { timeout: 120_000 },
  reporter: [['line']],
  use: {
    // What never comes fails its test, instead of holding it until the limit above; longer than a busy machine needs.
    actionTimeout: 120_000,
    navigationTimeout: 120_000,
    launchOptions: launchOptions(),
    // The panel's certificate is signed by its own authority, which the browser does not know.
    ignoreHTTPSErrors: true,
    // Things stand where they end up: what moves can be neither measured nor judged.
    contextOptions: { reducedMotion: 'reduce' },
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    // A trace of each test costs a quarter of the time: `--trace retain-on-failure` where one is looked for.
    trace: 'off',
    screenshot: 'only-on-failure',
  },
});
