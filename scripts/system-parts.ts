// Single files of suites of `npm test` that `npm run test:system` runs instead: they need more than npm packages, or much time.

import type { Program } from '../tests/support/engines.ts';

interface Part {
  /** Seconds that they take on a quiet machine. */
  readonly usual: number;
  /** In tests/<suite>, unless a path is given. */
  readonly files: readonly string[];
  /** Programs that they need, each with the Debian package that brings it. */
  readonly packages?: Readonly<Record<string, string>>;
  /** Pinned programs that they need. */
  readonly programs?: readonly Program[];
}

/** By the suite that they belong to. */
export const SYSTEM_PARTS: Readonly<Record<string, Part>> = {
  node: { usual: 10, files: ['src/adapters/certificates/import.test.ts'], packages: { openssl: 'openssl' } },
  contract: {
    usual: 15,
    files: ['printed-sessions.test.ts', 'samples.test.ts'],
    packages: { curl: 'curl', python3: 'python3', go: 'golang-go' },
  },
  cli: {
    usual: 110,
    files: ['bad-disks.test.ts', 'import-kill.test.ts', 'wrong-clock.test.ts'],
    packages: { faketime: 'faketime' },
  },
  commands: { usual: 5, files: ['mounts.test.ts'], packages: { ip: 'iproute2' } },
  panel: {
    usual: 230,
    files: [
      'bot-kill.test.ts',
      'imports-real.test.ts',
      'money.test.ts',
      'node-network.test.ts',
      'nodes-stay-up.test.ts',
      'provider-kill.test.ts',
      'reverse-proxy.test.ts',
      'superseded.test.ts',
      'two-panels.test.ts',
    ],
    packages: { curl: 'curl', ip: 'iproute2', nft: 'nftables', nginx: 'nginx', caddy: 'caddy' },
    programs: ['traefik'],
  },
  shell: { usual: 20, files: ['packed.test.ts'] },
};

/** The paths of a suite's files that run in `npm run test:system`. */
export function listSystemFiles(suite: string): readonly string[] {
  const files = SYSTEM_PARTS[suite]?.files ?? [];
  return files.map((file) => (file.includes('/') ? file : `tests/${suite}/${file}`));
}
