// The part of the doctor that looks for a proxy engine on this machine.
import { spawnSync } from 'node:child_process';
import type { Store } from '../../core/ports/ports.ts';
import { type Finding, finding } from './finding.ts';

const ENGINES = ['xray', 'v2ray'] as const;
const CALL_MS = 5000;

/** `xray` or `v2ray` on PATH; missing ones matter where a local node is enabled. */
export function checkEngine(store: Store | null): Finding {
  const check = 'engine';
  for (const name of ENGINES) {
    const version = versionOf(name);
    if (version !== null) return finding(check, 'ok', version);
  }
  const nodes = store?.nodes.page(store.nodes.count(), 0) ?? [];
  const needsOne = nodes.some(({ kind, enabled }) => kind === 'local' && enabled);
  const advice = 'Install Xray (or v2ray) and put it on PATH.';
  if (needsOne) return finding(check, 'problem', 'neither xray nor v2ray is on PATH', advice);
  return finding(check, 'ok', 'none on this machine, and no local node needs one');
}

function versionOf(name: string): string | null {
  const { status, stdout, error } = spawnSync(name, ['version'], { encoding: 'utf8', timeout: CALL_MS });
  if (error) return null;
  const legacy = status === 0 ? stdout : spawnSync(name, ['-version'], { encoding: 'utf8', timeout: CALL_MS }).stdout;
  return legacy.split('\n')[0]?.trim() || name;
}
