// The engines and clients that the suites run are real: each runs, and says which it is. A machine without them is recognized.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../../scripts/run.ts';
import { NO_ENGINE } from '../support/engines.ts';
import { pathOf, whyWithout } from './found.ts';

const SAYS = [
  { program: 'xray', args: ['version'], words: /^Xray \d+\.\d+\.\d+ / },
  { program: 'xray-new', args: ['version'], words: /^Xray \d+\.\d+\.\d+ / },
  { program: 'v2ray', args: ['-version'], words: /^V2Ray \d+\.\d+\.\d+ / },
  { program: 'sing-box', args: ['version'], words: /^sing-box version \d+\.\d+\.\d+/ },
  { program: 'sing-box-wireguard', args: ['version'], words: /^Tags: .*with_wireguard/m },
  { program: 'mihomo', args: ['-v'], words: /^Mihomo Meta v\d+\.\d+\.\d+ / },
] as const;

/** The certificate authority of tests/acme and the provider of tests/payments, which are brought in the same way. */
const OTHERS = ['pebble', 'pebble-challtestsrv', 'stripe-mock'];

for (const { program, args, words } of SAYS) {
  const reason = whyWithout(program);
  describe.skipIf(reason !== null)(`${program} ${reason ?? ''}`.trim(), () => {
    test('runs, and says its version', () => {
      expect(execFileSync(pathOf(program), args, { encoding: 'utf8' })).toMatch(words);
    });
  });
}

test('where there is neither a program nor what would bring it, that is said for each, as an excuse', () => {
  const empty = mkdtempSync(join(tmpdir(), 'gatehouse-engines-'));
  try {
    const output = execFileSync(process.execPath, [join(root, 'tests/support/engines.ts')], {
      encoding: 'utf8',
      // What is downloaded as it is needs no other program: no network either.
      env: { PATH: empty, HOME: empty, NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: 'http://127.0.0.1:9' },
    });
    const lines = output.split('\n').filter((line) => line !== '' && !line.startsWith('Bringing '));
    const programs = [...SAYS.map(({ program }) => program), ...OTHERS];
    expect(lines).toHaveLength(programs.length);
    for (const [index, program] of programs.entries())
      expect(lines[index]).toContain(`${program}: ${NO_ENGINE}: needs ${program}`);
  } finally {
    rmSync(empty, { recursive: true, force: true });
  }
});
