// Certificates of TLS connections: makes self-signed ones and checks imported ones.
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import type { CertificateMaker, KeyedCertificate } from '../../core/ports/ports.ts';
import { isDnsName } from '../addresses.ts';
import { validateImport } from './import.ts';

const DAY = 86_400_000;
/** Apple's systems refuse certificates of more than 825 days, also of private authorities. */
const DAYS = 820;
/** Certificates are valid from a day ago, for clients whose clocks are behind. */
const BACKDATED = DAY;
/** Replaces a name that a certificate cannot contain: clients that pin the digest check no name. */
const NO_NAME = 'server.invalid';

/** A host in the form that a certificate contains. */
function normalizeHost(host: string): string {
  if (isIP(host) === 6) return new URL(`http://[${host}]`).hostname.slice(1, -1);
  const ascii = isIP(host) > 0 ? host : domainToASCII(host).toLowerCase();
  return isIP(ascii) > 0 || isDnsName(ascii) ? ascii : NO_NAME;
}

function describe(key: string, chain: string, isOwn: boolean): KeyedCertificate {
  const leaf = new X509Certificate(chain);
  const sha256 = leaf.fingerprint256.replaceAll(':', '').toLowerCase();
  const isSelfSigned = leaf.issuer === leaf.subject && leaf.verify(leaf.publicKey);
  return { key, served: { chain, isOwn, isSelfSigned, sha256, endsAt: leaf.validToDate.getTime() } };
}

/** The names of a certificate, IPv6 in its shortest form. */
function listNames(chain: string): readonly string[] {
  const { subjectAltName = '' } = new X509Certificate(chain);
  return subjectAltName.split(', ').map((entry) => normalizeHost(entry.replace(/^(DNS|IP Address):/, '')));
}

export const certificateMaker: CertificateMaker = {
  async makeSelfSigned(host, now) {
    const { issueSelfSigned } = await import('./issuer.ts');
    const from = now - BACKDATED;
    const { key, pem } = await issueSelfSigned([normalizeHost(host)], { from, to: from + DAYS * DAY });
    return describe(key, `${pem.trim()}\n`, false);
  },
  startsAt: ({ chain }) => new X509Certificate(chain).validFromDate.getTime(),
  isFor: ({ chain }, host) => listNames(chain).join() === normalizeHost(host),
  validateCertificate(chainPem, keyPem, now) {
    const validation = validateImport(chainPem, keyPem, now);
    return 'key' in validation ? describe(validation.key, validation.chain, true) : validation;
  },
};
