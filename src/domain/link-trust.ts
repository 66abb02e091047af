// Whether client apps trust the certificate that subscription links are served with; used by the diagnosis and the user's record.
import type { Certificate } from '../contract/settings/certificates.ts';

type Served = Pick<Certificate, 'target' | 'source' | 'subject' | 'issuer' | 'warning'>;

export type LinkTrust = 'trusted' | 'untrusted' | 'ended';

/** Links are served with their own certificate, or that of the panel. null: no certificate, as behind a reverse proxy. */
export function computeLinkTrust(served: readonly Served[]): LinkTrust | null {
  const one = served.find(({ target }) => target === 'links') ?? served[0];
  if (one === undefined) return null;
  if (one.warning === 'ended' || one.warning === 'not_yet') return 'ended';
  return one.source === 'local' || one.issuer === one.subject ? 'untrusted' : 'trusted';
}
