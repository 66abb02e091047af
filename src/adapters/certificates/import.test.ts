// What may be served and what is refused, with every reason: certificates are made for real and judged by Node's own parser.
import { createPrivateKey } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { judgeImport } from './import.ts';
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
  const judged = judgeImport(chain, key, NOW);
  return 'key' in judged ? [] : judged.map(({ member, code }) => `${member} ${code}`);
}

describe('an imported certificate', () => {
  it('may be served alone or with its chain, whatever surrounds it', () => {
    expect(codes(leaf.pem, leaf.key)).toEqual([]);
    const judged = judgeImport(`Bag Attributes\n${leaf.pem}\n\n# chain\n${authority.pem}`, leaf.key, NOW);
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
