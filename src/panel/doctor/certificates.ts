// The part of the doctor that reads certificates.
import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { readIfThere } from '../../adapters/private-file.ts';
import { type Finding, finding } from './finding.ts';

const DAY = 86_400_000;
const WARN_DAYS = 30;
const FILES = [
  ['certificate', 'server.pem'],
  ['imported certificate', 'imported-panel.pem'],
  ['imported certificate for links', 'imported-links.pem'],
] as const;

/** The served certificates of a `tls` folder; none at all means that the panel has run over plain HTTP only. */
export function checkCertificates(folder: string, now: number): readonly Finding[] {
  const findings = FILES.flatMap(([check, name]) => {
    const pem = readIfThere(join(folder, name));
    return pem === null ? [] : [judge(check, pem, now)];
  });
  return findings.length > 0 ? findings : [finding('certificate', 'ok', 'none yet: it is made at the next start')];
}

function judge(check: string, pem: string, now: number): Finding {
  try {
    const end = new X509Certificate(pem).validToDate.getTime();
    const days = Math.floor((end - now) / DAY);
    const shown = `ends ${new Date(end).toISOString().slice(0, 10)}, in ${days} days`;
    const isOwn = check === 'certificate';
    const advice = isOwn
      ? 'Start the panel: it makes a new one.'
      : 'Import a new one in the panel, under Certificates.';
    if (days < 0) return finding(check, 'problem', shown, advice);
    return days < WARN_DAYS ? finding(check, 'warning', shown, advice) : finding(check, 'ok', shown);
  } catch {
    return finding(check, 'problem', 'cannot be read', 'Remove the file; the panel makes a new one at the next start.');
  }
}
