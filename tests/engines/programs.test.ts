// The engines and clients that the suites run are real: each runs, and says which it is. A machine without them is recognized.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../../scripts/run.ts';
import { AUTHORITY_PROGRAMS, PROVIDER_PROGRAMS, PROXY_PROGRAMS, STORAGE_PROGRAMS } from '../support/engines.ts';
import { getProgramPath, whyWithout } from './found.ts';

const SAYS = [
  { program: 'xray', args: ['version'], words: /^Xray \d+\.\d+\.\d+ / },
  { program: 'xray-new', args: ['version'], words: /^Xray \d+\.\d+\.\d+ / },
  { program: 'xray-newest', args: ['version'], words: /^Xray 26\.10\.10 / },
  { program: 'v2ray', args: ['-version'], words: /^V2Ray \d+\.\d+\.\d+ / },
  { program: 'sing-box', args: ['version'], words: /^sing-box version \d+\.\d+\.\d+/ },
  { program: 'sing-box-older', args: ['version'], words: /^sing-box version 1\.13\./ },
  { program: 'sing-box-wireguard', args: ['version'], words: /^Tags: .*with_wireguard/m },
  { program: 'sing-box-older-wireguard', args: ['version'], words: /^Tags: .*with_wireguard/m },
  { program: 'mihomo', args: ['-v'], words: /^Mihomo Meta v\d+\.\d+\.\d+ / },
] as const;

for (const { program, args, words } of SAYS) {
  const reason = whyWithout(program);
  describe.skipIf(reason !== null)(`${program} ${reason ?? ''}`.trim(), () => {
    test('runs, and says its version', () => {
      expect(execFileSync(getProgramPath(program), args, { encoding: 'utf8' })).toMatch(words);
    });
  });
}

test('where there is neither a program nor what would bring it, that is said for each', () => {
  const empty = mkdtempSync(join(tmpdir(), 'gatehouse-engines-'));
  try {
    const output = execFileSync(process.execPath, [join(root, 'tests/support/engines.ts')], {
      encoding: 'utf8',
      env: { PATH: empty, HOME: empty },
    });
    const lines = output.split('\n').filter((line) => line !== '' && !line.startsWith('Installing '));
    const programs = [
      ...SAYS.map(({ program }) => program),
      ...AUTHORITY_PROGRAMS,
      ...PROVIDER_PROGRAMS,
      ...STORAGE_PROGRAMS,
      ...PROXY_PROGRAMS,
    ];
    expect(lines).toHaveLength(programs.length);
    for (const [index, program] of programs.entries())
      expect(lines[index]).toMatch(new RegExp(`^${program}: needs (${program}|v2ray)`));
  } finally {
    rmSync(empty, { recursive: true, force: true });
  }
});

describe.skipIf(whyWithout('xray-newest') !== null)('the newest Xray, a library behind a script', () => {
  const check = (config: object) =>
    spawnSync(getProgramPath('xray-newest'), ['run', '-test', '-config', 'stdin:'], { input: JSON.stringify(config) })
      .status;
  const socks = { protocol: 'socks', listen: '127.0.0.1', port: 1 };

  test('accepts a configuration, also one that cannot be started here', () => {
    expect(check({ inbounds: [] })).toBe(0);
    expect(check({ inbounds: [{ ...socks, listen: '203.0.113.1' }] })).toBe(0);
  });

  test('refuses a configuration', () => {
    expect(check({ inbounds: [{ ...socks, protocol: 'no-such-protocol' }] })).toBe(1);
  });
});
