// Before the desktop's tests: builds the bundle and checks what runs it: Electron if it is requested, else the stand-in's browser.
import type { TestProject } from 'vitest/node';
import { findDesktop } from '../../scripts/desktop.ts';
import { root } from '../../scripts/run.ts';
import { ensurePackages, KEYCHAIN_PROGRAMS } from '../../scripts/system-packages.ts';
import { ensureBuilt } from '../support/built.ts';
import { ensureChromium } from '../support/chromium.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The tests run in Electron itself. */
    isElectronReal: boolean;
    /** Why it cannot run although it was requested; null otherwise. */
    noElectron: string | null;
    /** Why there is no keychain to test with; null if there is one. */
    noKeychain: string | null;
  }
}

export async function setup(project: TestProject): Promise<void> {
  const isReal = process.env.GATEHOUSE_TEST_ELECTRON === '1';
  const desktop = findDesktop({ root, platform: process.platform, env: process.env, uid: process.getuid?.() });
  const missing = isReal && 'missing' in desktop ? desktop.missing : null;
  project.provide('isElectronReal', isReal);
  project.provide('noElectron', missing);
  if (missing !== null) return;
  project.provide('noKeychain', await ensurePackages(KEYCHAIN_PROGRAMS));
  if (!isReal) await ensureChromium();
  await ensureBuilt();
}
