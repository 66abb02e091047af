// Checks a certificate before it replaces the served one.
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { ImportFailure } from '../../core/ports/host.ts';

const BEGIN = '-----BEGIN CERTIFICATE-----';
const END = '-----END CERTIFICATE-----';
const MAX_CERTIFICATES = 10;
const LEAST_RSA_BITS = 2048;
/** OpenSSL's names of P-256 and P-384. Chromium and Android offer no other curve for a server's key. */
const SERVER_CURVES = ['prime256v1', 'secp384r1'];
const ISSUER_CURVES = [...SERVER_CURVES, 'secp521r1'];

/** A key and its chain, valid now. PEM, ready for a TLS server. */
export interface Imported {
  readonly key: string;
  readonly chain: string;
}

function failure(member: ImportFailure['member'], code: ImportFailure['code'], message: string): ImportFailure {
  return { member, code, message };
}

/** The PEM blocks of certificates in a text, in one pass: a regular expression would search for an end from each of many beginnings. */
function listPemBlocks(pem: string): readonly string[] {
  const blocks: string[] = [];
  for (let from = pem.indexOf(BEGIN); from >= 0; ) {
    const end = pem.indexOf(END, from + BEGIN.length);
    if (end < 0) break;
    blocks.push(pem.slice(from, end + END.length));
    if (blocks.length > MAX_CERTIFICATES) break;
    from = pem.indexOf(BEGIN, end);
  }
  return blocks;
}

function readChain(pem: string): readonly X509Certificate[] | ImportFailure {
  const blocks = listPemBlocks(pem);
  if (blocks.length === 0) return failure('certificate', 'not_pem', 'holds no certificate in PEM');
  if (blocks.length > MAX_CERTIFICATES) return failure('certificate', 'too_many', 'holds more than 10 certificates');
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch {
    return failure('certificate', 'unreadable', 'cannot be read');
  }
}

function readKey(pem: string): KeyObject | ImportFailure {
  if (/ENCRYPTED/.test(pem)) {
    return failure('private_key', 'encrypted', 'is protected by a passphrase: decrypt it first');
  }
  try {
    return createPrivateKey(pem);
  } catch {
    return failure('private_key', 'unreadable', 'is not a private key in PEM');
  }
}

function validateLeaf(leaf: X509Certificate, now: number): ImportFailure[] {
  const failures: ImportFailure[] = [];
  if (leaf.ca)
    failures.push(failure('certificate', 'authority', 'begins with an authority: the server certificate comes first'));
  if (leaf.validToDate.getTime() <= now) failures.push(failure('certificate', 'ended', 'has ended'));
  if (leaf.validFromDate.getTime() > now) failures.push(failure('certificate', 'not_yet', 'is not valid yet'));
  if (!leaf.subjectAltName) failures.push(failure('certificate', 'no_names', 'names no address (subjectAltName)'));
  const key = findPublicKey(leaf);
  if (!isSupported(key, SERVER_CURVES)) {
    failures.push(
      failure('certificate', 'unsupported', 'has a key that browsers do not accept: use RSA, P-256 or P-384'),
    );
  }
  if (key?.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) < LEAST_RSA_BITS) {
    failures.push(failure('certificate', 'weak', 'has an RSA key of less than 2048 bits'));
  }
  return failures;
}

/** null: this machine does not know the kind of key. */
function findPublicKey(certificate: X509Certificate): KeyObject | null {
  try {
    return certificate.publicKey;
  } catch {
    return null;
  }
}

/** Whether browsers accept the kind of key: none accepts Ed25519, nor an RSA-PSS key. */
function isSupported(key: KeyObject | null, curves: readonly string[]): boolean {
  if (key?.asymmetricKeyType === 'rsa') return true;
  return key?.asymmetricKeyType === 'ec' && curves.includes(key.asymmetricKeyDetails?.namedCurve ?? '');
}

function validateChain(chain: readonly X509Certificate[], now: number): ImportFailure[] {
  return chain.slice(1).flatMap((issuer, index) => {
    const issued = chain[index];
    const key = findPublicKey(issuer);
    if (issued && !(key !== null && issued.checkIssued(issuer) && issued.verify(key))) {
      return [failure('certificate', 'broken_chain', `certificate ${index + 2} did not issue the one before it`)];
    }
    if (!isSupported(key, ISSUER_CURVES)) {
      return [failure('certificate', 'unsupported', `certificate ${index + 2} has a key that browsers do not accept`)];
    }
    const isInForce = issuer.validToDate.getTime() > now && issuer.validFromDate.getTime() <= now;
    return isInForce ? [] : [failure('certificate', 'chain_ended', `certificate ${index + 2} is not in force`)];
  });
}

/** Checks form, dates, names, strength, the links of the chain, and that the key belongs to the certificate. Returns all faults. */
export function validateImport(chainPem: string, keyPem: string, now: number): Imported | readonly ImportFailure[] {
  const chain = readChain(chainPem);
  const key = readKey(keyPem);
  const unread = [chain, key].filter((part): part is ImportFailure => 'member' in part);
  if (unread.length > 0 || 'member' in chain || 'member' in key) return unread;
  const [leaf] = chain;
  if (!leaf) return [failure('certificate', 'not_pem', 'holds no certificate in PEM')];
  const failures = [...validateLeaf(leaf, now), ...validateChain(chain, now)];
  if (!leaf.checkPrivateKey(key)) {
    failures.push(failure('private_key', 'key_mismatch', 'is not the key of this certificate'));
  }
  if (failures.length > 0) return failures;
  const imported = {
    key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    chain: chain
      .map((certificate) => certificate.toString().trim())
      .join('\n')
      .concat('\n'),
  };
  return canServe(imported) ? imported : [failure('certificate', 'unusable', 'cannot be served over TLS')];
}

const OUT_OF_TIME: readonly ImportFailure['code'][] = ['ended', 'not_yet', 'chain_ended'];

/** Whether a certificate that was imported once would be refused now, for a reason other than its dates. */
export function isDamaged({ key, chain }: Imported, now: number): boolean {
  const validation = validateImport(chain, key, now);
  return !('key' in validation) && validation.some(({ code }) => !OUT_OF_TIME.includes(code));
}

function canServe({ key, chain }: Imported): boolean {
  try {
    createSecureContext({ key, cert: chain, minVersion: 'TLSv1.2' });
    return true;
  } catch {
    return false;
  }
}
