// Issues certificates: an authority, the leaves it signs, and leaves that sign themselves. Loaded only when one is issued: the library is slow to load.
import 'reflect-metadata';
import { createPrivateKey, randomBytes, randomInt, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** PEM: private key (PKCS #8) and certificate. */
export type Issued = { readonly key: string; readonly pem: string };

/** Epoch milliseconds. */
export type Validity = { readonly from: number; readonly to: number };

const EC = { name: 'ECDSA', namedCurve: 'P-256' };
const SIGNATURE = { name: 'ECDSA', hash: 'SHA-256' };

/** A self-signed authority that may sign leaves and no further authorities. Its name does not reveal the machine. */
export async function issueAuthority(validity: Validity): Promise<Issued> {
  const keys = await webcrypto.subtle.generateKey(EC, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: createSerialNumber(),
    name: [{ CN: [createRandomName()] }],
    notBefore: new Date(validity.from),
    notAfter: new Date(validity.to),
    signingAlgorithm: SIGNATURE,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { key: await exportKey(keys.privateKey), pem: certificate.toString('pem') };
}

/** A server's certificate for IP addresses and DNS names, with a key of its own, signed by `authority`. */
export async function issueLeaf(authority: Issued, hosts: readonly string[], validity: Validity): Promise<Issued> {
  const keys = await webcrypto.subtle.generateKey(EC, true, ['sign', 'verify']);
  const leaf = { publicKey: keys.publicKey, usage: ExtendedKeyUsage.serverAuth, hosts };
  return { key: await exportKey(keys.privateKey), pem: await signLeaf(authority, leaf, validity) };
}

interface Leaf {
  readonly publicKey: webcrypto.CryptoKey;
  readonly usage: ExtendedKeyUsage;
  readonly hosts: readonly string[];
}

async function signLeaf(authority: Issued, { publicKey, usage, hosts }: Leaf, validity: Validity): Promise<string> {
  const issuer = new X509Certificate(authority.pem);
  const certificate = await X509CertificateGenerator.create({
    serialNumber: createSerialNumber(),
    subject: [{ CN: [createRandomName()] }],
    issuer: issuer.subjectName,
    notBefore: new Date(validity.from),
    notAfter: new Date(validity.to),
    signingAlgorithm: SIGNATURE,
    publicKey,
    signingKey: await importKey(authority.key),
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([usage]),
      buildSanExtension(hosts),
      await SubjectKeyIdentifierExtension.create(publicKey),
      await AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  return certificate.toString('pem');
}

const DAY_MS = 86_400_000;
/** As long as most self-signed certificates. Peers that pin the key ignore the dates. */
const PINNED_DAYS = 3650;
const MAX_AGE_DAYS = 365;

/**
 * A self-signed certificate for peers that pin its key. Strangers see it, so names and dates are random and do not identify the program.
 */
export async function issuePinned(): Promise<Issued> {
  const from = Date.now() - randomInt(MAX_AGE_DAYS * DAY_MS);
  return issueSelfSigned([createRandomName()], { from, to: from + PINNED_DAYS * DAY_MS });
}

/** A server's self-signed certificate, for clients that pin its digest. */
export async function issueSelfSigned(hosts: readonly string[], validity: Validity): Promise<Issued> {
  const keys = await webcrypto.subtle.generateKey(EC, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: createSerialNumber(),
    name: [{ CN: [(hosts[0] ?? '').slice(0, 64)] }],
    notBefore: new Date(validity.from),
    notAfter: new Date(validity.to),
    signingAlgorithm: SIGNATURE,
    keys,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      buildSanExtension(hosts),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { key: await exportKey(keys.privateKey), pem: certificate.toString('pem') };
}

function buildSanExtension(hosts: readonly string[]): SubjectAlternativeNameExtension {
  return new SubjectAlternativeNameExtension(hosts.map((value) => ({ type: isIP(value) > 0 ? 'ip' : 'dns', value })));
}

/** A random name: anyone who connects can read it, so it must not identify the program. */
function createRandomName(): string {
  return randomBytes(8).toString('hex');
}

/** Random, positive, at most 20 octets (RFC 5280 section 4.1.2.2). */
function createSerialNumber(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes.toString('hex');
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    .export({ format: 'pem', type: 'pkcs8' })
    .toString();
}

function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = createPrivateKey(pem).export({ format: 'der', type: 'pkcs8' });
  return webcrypto.subtle.importKey('pkcs8', Uint8Array.from(der), EC, false, ['sign']);
}
