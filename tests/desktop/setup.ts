// Before the desktop's tests: the browser that stands for its windows, and the bundle that they run.
import { ensureBuilt } from '../support/built.ts';
import { ensureChromium } from '../support/chromium.ts';

export async function setup(): Promise<void> {
  await ensureChromium();
  await ensureBuilt();
}
