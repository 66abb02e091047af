// VLESS encryption and ML-DSA-65: keys as the engine's own commands print them, and in every form real clients move bytes with them.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { nodeCrypto } from '../../src/adapters/crypto.ts';
import { VLESS_APPEARANCES, VLESS_AUTHENTICATIONS } from '../../src/contract/vless-encryption.ts';
import { deriveEncryption, makeMldsa65Pair, makeVlessPair } from '../../src/core/inbounds/inbound-key-pairs.ts';
import { getProgramPath, whyWithout } from './found.ts';
import { createConnections, openConnections, serveInbounds } from './many-connections.ts';
import { LONG_CHAIN } from './measure.ts';
import { startSite } from './real-engine.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-key-pairs-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const without = whyWithout('xray');
describe.skipIf(without !== null)(`the commands of xray ${without ?? ''}`.trim(), () => {
  const run = (...args: readonly string[]) => execFileSync(getProgramPath('xray'), args, { encoding: 'utf8' });

  test('vlessenc prints halves of which the one gives the other', () => {
    const printed = run('vlessenc');
    const find = (name: string) =>
      [...printed.matchAll(new RegExp(`"${name}": "([^"]+)"`, 'g'))].map(([, text = '']) => text);
    const decryptions = find('decryption');
    expect(decryptions).toHaveLength(VLESS_AUTHENTICATIONS.length);
    expect(decryptions.map((decryption) => deriveEncryption(nodeCrypto, decryption))).toEqual(find('encryption'));
    const own = VLESS_AUTHENTICATIONS.map((authentication) => makeVlessPair(nodeCrypto, authentication, 'native'));
    const lengths = (texts: readonly string[]) => texts.map((text) => text.split('.').map((part) => part.length));
    expect(lengths(own.map((pair) => pair.decryption))).toEqual(lengths(decryptions));
    expect(lengths(own.map((pair) => pair.encryption))).toEqual(lengths(find('encryption')));
  });

  test('mlkem768 and mldsa65 compute the same public keys of the same seeds', () => {
    const { mldsa65_seed: seed, mldsa65_verify: verify } = makeMldsa65Pair(nodeCrypto);
    expect(run('mldsa65', '-i', seed)).toBe(`Seed: ${seed}\nVerify: ${verify}\n`);
    const { decryption, encryption } = makeVlessPair(nodeCrypto, 'mlkem768', 'random');
    const key = decryption.split('.').at(-1) ?? '';
    expect(run('mlkem768', '-i', key)).toContain(`Client: ${encryption.split('.').at(-1)}\n`);
  });
});

/** Each authentication in each appearance, two keys, and padding, timings that are not the usual ones. */
function listHalves() {
  const pairs = VLESS_AUTHENTICATIONS.flatMap((authentication) =>
    VLESS_APPEARANCES.map((appearance) => makeVlessPair(nodeCrypto, authentication, appearance)),
  );
  const padded = makeVlessPair(nodeCrypto, 'x25519', 'native');
  const change = (text: string, timing: string) =>
    text.replace(/\.(600s|0rtt)\./, `.${timing}.100-111-1111.75-0-111.50-0-3333.`);
  const decryption = change(padded.decryption, '300-600s');
  return [...pairs, { decryption, encryption: change(padded.encryption, '1rtt') }];
}

const PAIRS = [
  ['xray', 'xray'],
  ['xray', 'xray-new'],
  ['xray-new', 'xray'],
  ['xray-newest', 'xray-new'],
  ['xray', 'xray-newest'],
  ['xray-new', 'mihomo'],
] as const;

test.for(PAIRS)(
  'VLESS encryption between an engine %s and a client %s',
  { timeout: 60_000 },
  async ([engine, client], { skip }) => {
    const missing = whyWithout(engine, client);
    if (missing !== null) return skip(missing);
    const halves = listHalves();
    const rows = await createConnections(halves.map(({ encryption }) => ({ encryption })));
    const inbounds = rows.map((row, index) => ({
      ...row,
      privateKey: null,
      certificateKey: null,
      serverKey: null,
      mldsa65Seed: null,
      decryption: halves[index]?.decryption ?? null,
    }));
    await using _engine = await serveInbounds(engine, inbounds);
    await using open = await openConnections(client, rows, folder);
    expect(await open.working()).toEqual(rows);
  },
);

test.for(PAIRS.filter(([, client]) => client !== 'mihomo'))(
  'ML-DSA-65 is verified by a client %s of an engine %s',
  { timeout: 60_000 },
  async ([engine, client], { skip }) => {
    const missing = whyWithout(engine, client);
    if (missing !== null) return skip(missing);
    await using site = await startSite(LONG_CHAIN);
    const { privateKey, publicKey } = nodeCrypto.newX25519();
    const [own, other] = [makeMldsa65Pair(nodeCrypto), makeMldsa65Pair(nodeCrypto)];
    const reality = { security: 'reality', sni: 'a.example', publicKey, target: `127.0.0.1:${site.port}` } as const;
    const [right, wrong] = await createConnections([
      { ...reality, mldsa65Verify: own.mldsa65_verify },
      // The client expects another key than the engine has.
      { ...reality, mldsa65Verify: other.mldsa65_verify },
    ]);
    if (!right || !wrong) throw new Error('no connections');
    const secrets = {
      privateKey,
      certificateKey: null,
      serverKey: null,
      decryption: null,
      mldsa65Seed: own.mldsa65_seed,
    };
    await using _engine = await serveInbounds(
      engine,
      [right, wrong].map((row) => ({ ...row, ...secrets })),
    );
    const trial = { attempts: { count: 2, ms: 5000 } };
    await using open = await openConnections(client, [right, wrong], folder, trial);
    expect(await open.working()).toEqual([right]);
  },
);
