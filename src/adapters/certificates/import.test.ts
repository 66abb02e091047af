// Which certificates may be served and which are refused, with every reason. The certificates are real, and Node's own parser reads them.
import { execFileSync, spawnSync } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { validateImport } from './import.ts';
import { type Issued, issueAuthority, issueLeaf } from './issuer.ts';

const NOW = Date.UTC(2026, 10, 20);
const DAY = 86_400_000;
const YEAR = { from: NOW - DAY, to: NOW + 365 * DAY };
let authority: Issued;
let other: Issued;
let leaf: Issued;

beforeAll(async () => {
  authority = await issueAuthority(YEAR);
  other = await issueAuthority(YEAR);
  leaf = await issueLeaf(authority, ['panel.example.org', '192.0.2.7'], YEAR);
});

function codes(chain: string, key: string): string[] {
  const judged = validateImport(chain, key, NOW);
  return 'key' in judged ? [] : judged.map(({ member, code }) => `${member} ${code}`);
}

describe('an imported certificate', () => {
  it('may be served alone or with its chain, whatever surrounds it', () => {
    expect(codes(leaf.pem, leaf.key)).toEqual([]);
    const judged = validateImport(`Bag Attributes\n${leaf.pem}\n\n# chain\n${authority.pem}`, leaf.key, NOW);
    expect('key' in judged && judged.chain.match(/BEGIN/g)).toHaveLength(2);
  });

  it.each<[string, () => [string, string], string[]]>([
    ['no PEM', () => ['hello', leaf.key], ['certificate not_pem']],
    ['neither', () => ['', ''], ['certificate not_pem', 'private_key unreadable']],
    ['a damaged one', () => [leaf.pem.replace(/[A-Za-z]{20}\n/, 'AAAA\n'), leaf.key], ['certificate unreadable']],
    ["another's key", () => [leaf.pem, other.key], ['private_key key_mismatch']],
    ['the authority itself', () => [authority.pem, authority.key], ['certificate authority', 'certificate no_names']],
    ['a chain of another', () => [`${leaf.pem}\n${other.pem}`, leaf.key], ['certificate broken_chain']],
    [
      'the chain upside down',
      () => [`${authority.pem}\n${leaf.pem}`, leaf.key],
      ['certificate authority', 'certificate no_names', 'certificate broken_chain', 'private_key key_mismatch'],
    ],
    ['too many', () => [`${leaf.pem}\n`.repeat(11), leaf.key], ['certificate too_many']],
  ])('is refused: %s', (_name, make, expected) => {
    expect(codes(...make())).toEqual(expected);
  });

  it('is refused in one pass where many begin and none ends', () => {
    expect(codes('-----BEGIN CERTIFICATE-----'.repeat(1_000_000), leaf.key)).toEqual(['certificate not_pem']);
  });

  it('is refused out of its time, and with a chain out of its time', async () => {
    const ended = await issueLeaf(authority, ['a.example'], { from: NOW - 10 * DAY, to: NOW - 1 });
    const early = await issueLeaf(authority, ['a.example'], { from: NOW + 1000, to: NOW + DAY });
    const stale = await issueAuthority({ from: NOW - 10 * DAY, to: NOW - DAY });
    const orphan = await issueLeaf(stale, ['a.example'], YEAR);
    expect(codes(ended.pem, ended.key)).toEqual(['certificate ended']);
    expect(codes(early.pem, early.key)).toEqual(['certificate not_yet']);
    expect(codes(`${orphan.pem}\n${stale.pem}`, orphan.key)).toEqual(['certificate chain_ended']);
  });

  it('is refused with a key that is protected', () => {
    const options = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' } as const;
    const locked = createPrivateKey(leaf.key).export(options).toString();
    expect(codes(leaf.pem, locked)).toEqual(['private_key encrypted']);
  });
});

const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'pipe'] });
const missing = spawnSync('openssl', ['version']).status === 0 ? '' : '(NOT TESTED: there is no openssl on PATH)';

describe.skipIf(missing !== '')(`the kind of key ${missing}`, () => {
  let folder = '';
  const at = (name: string) => join(folder, name);
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-kinds-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** A certificate and its key as openssl makes them; `options` of `openssl genpkey`. */
  function make(...options: string[]): Issued {
    const names = ['-subj', '/CN=a', '-addext', 'subjectAltName=DNS:a.example'];
    const plain = ['-addext', 'basicConstraints=critical,CA:FALSE', '-days', '90'];
    openssl('genpkey', ...options, '-out', at('key'));
    openssl('req', '-x509', '-new', '-key', at('key'), '-out', at('pem'), ...names, ...plain);
    return { key: readFileSync(at('key'), 'utf8'), pem: readFileSync(at('pem'), 'utf8') };
  }
  const validateNow = ({ pem, key }: Issued) => {
    const judged = validateImport(pem, key, Date.now());
    return 'key' in judged ? [] : judged.map(({ member, code }) => `${member} ${code}`);
  };
  const curve = (name: string) => ['-algorithm', 'EC', '-pkeyopt', `ec_paramgen_curve:${name}`];
  const rsa = (bits: number, algorithm = 'RSA') => ['-algorithm', algorithm, '-pkeyopt', `rsa_keygen_bits:${bits}`];

  // Key kinds that Chromium 156 accepts: the others end in ERR_SSL_VERSION_OR_CIPHER_MISMATCH.
  it.each([
    ['P-256', curve('P-256')],
    ['P-384', curve('P-384')],
    ['RSA 2048', rsa(2048)],
    ['RSA 3072', rsa(3072)],
  ])('is accepted: %s', (_name, options) => {
    expect(validateNow(make(...options))).toEqual([]);
  });
  it.each([
    ['Ed25519', ['-algorithm', 'ED25519']],
    ['Ed448', ['-algorithm', 'ED448']],
    ['P-521', curve('P-521')],
    ['P-224', curve('P-224')],
    ['secp256k1', curve('secp256k1')],
    ['brainpoolP256r1', curve('brainpoolP256r1')],
    ['RSA-PSS', rsa(2048, 'RSA-PSS')],
  ])('is refused: %s', (_name, options) => {
    expect(validateNow(make(...options))).toEqual(['certificate unsupported']);
  });

  it('is refused: DSA, and RSA of less than 2048 bits', () => {
    openssl('dsaparam', '-out', at('parameters'), '1024');
    expect(validateNow(make('-paramfile', at('parameters')))).toEqual(['certificate unsupported']);
    expect(validateNow(make(...rsa(2040)))).toEqual(['certificate weak']);
  });

  it('is refused where this machine does not know it, and in the chain', () => {
    const known = make('-algorithm', 'ED25519');
    const der = Buffer.from(new X509Certificate(known.pem).raw);
    // Changes the key's OID from 1.3.101.112 (Ed25519) to 1.3.101.120, which is unassigned.
    for (let from = der.indexOf('06032b6570', 0, 'hex'); from >= 0; from = der.indexOf('06032b6570', from, 'hex'))
      der[from + 4] = 0x78;
    const pem = `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`;
    expect(validateNow({ pem, key: known.key })).toEqual(['certificate unsupported', 'private_key key_mismatch']);
    expect(codes(`${leaf.pem}\n${pem}`, leaf.key)).toContain('certificate broken_chain');

    openssl('genpkey', '-algorithm', 'ED25519', '-out', at('ca.key'));
    openssl(
      'req',
      '-x509',
      '-new',
      '-key',
      at('ca.key'),
      '-out',
      at('ca.pem'),
      '-subj',
      '/CN=authority',
      '-days',
      '90',
    );
    openssl('genpkey', ...curve('P-256'), '-out', at('key'));
    const names = ['-subj', '/CN=a', '-addext', 'subjectAltName=DNS:a.example'];
    const signed = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-days', '90', '-addext', 'basicConstraints=CA:FALSE'];
    openssl('req', '-x509', '-new', '-key', at('key'), '-out', at('pem'), ...names, ...signed);
    const chain = `${readFileSync(at('pem'), 'utf8')}${readFileSync(at('ca.pem'), 'utf8')}`;
    expect(validateNow({ pem: chain, key: readFileSync(at('key'), 'utf8') })).toEqual(['certificate unsupported']);
  });
});
