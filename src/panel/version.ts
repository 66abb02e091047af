// The panel's version, from package.json: two folders up both from the sources and from the bundle.
import { readFileSync } from 'node:fs';

export function panelVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return String(version);
}
