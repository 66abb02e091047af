// The configurations that subscriptions give are ones that the clients start with: each checks many sets of connections itself.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { fc } from '@fast-check/vitest';
import { Ajv } from 'ajv';
import schema from 'meta-json-schema/schemas/meta-json-schema.json' with { type: 'json' };
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { BUILT_IN_TEMPLATES, type OwnTemplate } from '../../src/contract/subscription/templates.ts';
import type { InboundSecrets } from '../../src/core/ports/credentials.ts';
import { expandHosts } from '../../src/domain/subscription/hosts.ts';
import { createTemplates } from '../../src/panel/templates.ts';
import { renderSubscription } from '../../src/subscription/render.ts';
import type { EngineProgram } from '../support/engines.ts';
import { SETTINGS } from '../support/fake-core.ts';
import { times } from '../support/long.ts';
import { anyHost, anyInbound, buildSubscription, hostileName } from '../support/subscription-samples.ts';
import { getProgramPath, whyWithout } from './found.ts';

/** Each starts the client once, which takes longer than to read another connection. */
const RUNS = times(50, 200);
const execute = promisify(execFile);

/** A certificate for a.example that no authority has signed, of the form that the panel makes. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBlTCCATugAwIBAgIUe25NIuVeceKLyTCkeYAy45V6WM4wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJYS5leGFtcGxlMCAXDTI2MTEyMzA3MzEwN1oYDzIxMjYxMDMw
MDczMTA3WjAUMRIwEAYDVQQDDAlhLmV4YW1wbGUwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATfnwFrM5FcmE+ar3lpoihLnsPzoZ/U4LBToQmlKmAuenii0hWbSOSF
A15vdxN9jes4uHwvtfH6xgsGI5TwcBruo2kwZzAdBgNVHQ4EFgQUXCwrHB70dLJc
NJT11kCkLqYO9QUwHwYDVR0jBBgwFoAUXCwrHB70dLJcNJT11kCkLqYO9QUwDwYD
VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglhLmV4YW1wbGUwCgYIKoZIzj0EAwID
SAAwRQIhANIRiaTfjjGNGTiLh+k99VQIT/aavw8OopCuAb0LEmdLAiArssiO+nAE
ANZPhBVfbiKBvwXImzgRdpkJhPQk3kMFhw==
-----END CERTIFICATE-----
`;
const SELF_SIGNED: InboundSecrets = {
  serverKey: 'ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=',
  certificate: CERTIFICATE,
  pin: '3277793f3bbcf8dd759ea3024c566d61822d0be05bd7444b847bf1d4213796c5',
};

/** Not with the end of an IPv4 address, which the schema of mihomo does not know. */
const ipV6 = fc.ipV6().filter((text) => !text.includes('.'));
const address = fc.oneof(fc.domain(), fc.ipV4(), ipV6, fc.constantFrom('пример.рф', 'localhost'));
const connection = fc.record({
  row: anyInbound,
  name: hostileName,
  address,
  method: fc.constantFrom('aes-256-gcm', '2022-blake3-aes-128-gcm', '2022-blake3-aes-256-gcm'),
  isSelfSigned: fc.boolean(),
  hosts: fc.array(anyHost, { maxLength: 3 }),
});

/** What the panel allows to be written: fast-check makes the rest of a connection up. */
const connections = fc.array(connection, { minLength: 1, maxLength: 32 }).map((made) =>
  expandHosts(
    made.map(({ row, name, address: host, method, isSelfSigned, hosts }, index) => ({
      inbound: { ...row, name, hosts, id: index + 1, ...(row.method !== null && { method }) },
      address: host,
      engine: null,
      secrets: isSelfSigned ? SELF_SIGNED : { ...SELF_SIGNED, certificate: null, pin: null },
    })),
    { id: 1, tariffId: null, tags: [] },
  ),
);

/** None, each built-in one, and an own one in which the connections stand in several places. */
const OWN: OwnTemplate = {
  id: 'own-1',
  name: 'Own',
  mihomo: `
log-level: info
proxy-groups:
  - {name: Work, type: select, proxies: [Fast, '{all}', DIRECT]}
  - {name: Fast, type: fallback, proxies: ['{all}'], url: 'https://example.com', interval: 60}
rules:
  - DOMAIN-SUFFIX,yes,Work
  - MATCH,Fast
`,
  sing_box: JSON.stringify({
    dns: { servers: [{ type: 'local', tag: 'local' }] },
    outbounds: [
      { type: 'urltest', tag: 'fast', outbounds: ['{all}'] },
      { type: 'selector', tag: 'work', outbounds: ['fast', '{all}', 'direct'] },
      { type: 'direct', tag: 'direct' },
    ],
    route: { final: 'work', default_domain_resolver: 'local' },
  }),
  xray: JSON.stringify({
    inbounds: [{ listen: '127.0.0.1', port: 10808, protocol: 'socks' }],
    outbounds: [{ tag: 'direct', protocol: 'freedom' }],
    routing: { rules: [{ type: 'field', domain: ['domain:yes'], outboundTag: 'proxy' }] },
  }),
};
const anyTemplate = fc
  .constantFrom(null, ...BUILT_IN_TEMPLATES, OWN.id)
  .map((chosen) => ({ items: [OWN], chosen, choices: [] }));

interface Check {
  readonly program: EngineProgram;
  readonly format: string;
  readonly file: string;
  /** How many sets it looks at. */
  readonly runs?: number;
  /** `home`: a folder of its own. */
  args(file: string, home: string): readonly string[];
}

const CHECKS: readonly Check[] = [
  { program: 'xray', format: 'xray', file: 'config.json', args: (file) => ['run', '-test', '-c', file] },
  { program: 'xray-new', format: 'xray', file: 'config.json', args: (file) => ['run', '-test', '-c', file] },
  { program: 'sing-box', format: 'sing-box', file: 'config.json', args: (file) => ['check', '-c', file] },
  {
    program: 'sing-box-wireguard',
    format: 'sing-box',
    file: 'config.json',
    runs: times(10, 200),
    args: (file) => ['check', '-c', file],
  },
  { program: 'mihomo', format: 'mihomo', file: 'config.yaml', args: (file, home) => ['-t', '-d', home, '-f', file] },
];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-formats-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the program says against the configuration; null: it would start with it. */
async function findConfigError({ program, file, args }: Check, text: string): Promise<string | null> {
  const home = join(folder, program);
  mkdirSync(home, { recursive: true });
  const path = join(home, file);
  writeFileSync(path, text);
  try {
    await execute(getProgramPath(program), args(path, home));
    return null;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return `${stdout}\n${stderr}\n${text}`;
  }
}

/** One build of sing-box has WireGuard, and the other all else. */
function runnableBy<One extends { readonly inbound: { readonly protocol: string } }>(
  program: EngineProgram,
  made: readonly One[],
): readonly One[] {
  if (program === 'sing-box') return made.filter(({ inbound }) => inbound.protocol !== 'wireguard');
  if (program === 'sing-box-wireguard') return made.filter(({ inbound }) => inbound.protocol === 'wireguard');
  return made;
}

for (const check of CHECKS) {
  const reason = whyWithout(check.program);
  describe.skipIf(reason !== null)(`${check.program} ${reason ?? ''}`.trim(), () => {
    const { runs = RUNS } = check;
    test(`starts with ${runs} sets of connections, with and without templates`, async () => {
      await fc.assert(
        fc.asyncProperty(connections, anyTemplate, async (made, subscriptionTemplates) => {
          const sub = buildSubscription([], { inbounds: runnableBy(check.program, made) });
          const settings = { ...SETTINGS, subscriptionTemplates };
          const { body } = renderSubscription(sub, settings, { format: check.format, now: 0 });
          expect(await findConfigError(check, body)).toBeNull();
        }),
        { numRuns: runs },
      );
    });

    test('starts with the entry that says why there is nothing to connect to', async () => {
      const sub = buildSubscription([], { canConnect: false });
      const { body } = renderSubscription(sub, SETTINGS, { format: check.format, now: 0 });
      expect(await findConfigError(check, body)).toBeNull();
    });

    test('refuses what is not a configuration, so that the others say something', async () => {
      expect(
        await findConfigError(check, '{"outbounds": [{"type": "no such", "protocol": "no such"}], "proxies": 5}'),
      ).not.toBeNull();
    });
  });
}

const reason = whyWithout('xray');
test.skipIf(reason !== null)(`a template is judged by Xray before it is saved ${reason ?? ''}`.trim(), async () => {
  const program = { path: getProgramPath('xray'), name: 'xray', version: '26.3.27' } as const;
  const { builtIn, check } = createTemplates(async () => program);
  for (const documents of Object.values(builtIn())) expect(await check('xray', documents.xray)).toBeNull();
  expect(await check('xray', OWN.xray)).toBeNull();
  expect(await check('xray', '{"outbounds":[{"tag":"a","protocol":"no such"}]}')).toMatch(/^program: .*no such/);
  // Xray opens the files of its log also for a test.
  const file = join(mkdtempSync(join(tmpdir(), 'gatehouse-template-')), 'written.log');
  const logging = { log: { access: file, error: file, loglevel: 'debug' }, outbounds: [] };
  expect(await check('xray', JSON.stringify(logging))).toBeNull();
  expect(existsSync(file)).toBe(false);
  rmSync(dirname(file), { recursive: true });
  // The lists of Xray are with the apps, not with the panel.
  const listed = { outbounds: [], routing: { rules: [{ type: 'field', ip: ['geoip:ru'], outboundTag: 'proxy' }] } };
  expect(await check('xray', JSON.stringify(listed))).toBeNull();
});

test(`the schema of mihomo takes ${RUNS} sets of connections`, async () => {
  const isValid = new Ajv({ strict: false, validateFormats: false }).compile(schema);
  await fc.assert(
    fc.property(connections, (made) => {
      const sub = buildSubscription([], { inbounds: made });
      const { body } = renderSubscription(sub, SETTINGS, { format: 'mihomo', now: 0 });
      isValid(parse(body));
      expect(isValid.errors ?? []).toEqual([]);
    }),
    { numRuns: RUNS },
  );
  expect(isValid({ proxies: [{ name: 'x', type: 'vless', server: 'a.example', port: 'no port' }] })).toBe(false);
});
