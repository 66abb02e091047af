// What certificates are served and until when, others in their place, and the authority that machines can trust.
import { Button } from '@mantine/core';
import { IconCertificateOff, IconDownload } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../../../../contract/table.ts';
import { DateTime } from '../../../components/figures.tsx';
import { SectionCard } from '../../../components/page.tsx';
import { EmptyState } from '../../../components/placeholder.tsx';
import { useHost } from '../../../data/host.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { notifyFailure } from '../../../state/messages.ts';
import { CA_FILE } from '../api/curl.ts';
import { CopyLine } from '../parts/copy-line.tsx';
import { Reading } from '../parts/reading.tsx';
import rows from '../parts/rows.module.css';
import { ImportDrawer } from './import-drawer.tsx';
import { ServedCard } from './served-card.tsx';

export function CertificatesSection() {
  const { t } = useTranslation('settings');
  const certificates = useOperation('getCertificates', {});
  // A panel behind a proxy has none: it says so itself, with a request id; one out of reach cannot.
  const isPlain = certificates.error?.code === 'unavailable' && !certificates.error.problem.instance.endsWith(':none');
  if (isPlain) {
    return (
      <SectionCard title={t('sections.certificates')}>
        <EmptyState
          size="small"
          icon={<IconCertificateOff size={20} stroke={1.5} />}
          title={t('certificates.plain')}
          text={t('certificates.plainText')}
        />
      </SectionCard>
    );
  }
  return (
    <Reading title={t('sections.certificates')} query={certificates} height={200}>
      {({ served, authority }) => (
        <>
          {served.map((certificate) => (
            <ServedCard key={certificate.target} certificate={certificate} />
          ))}
          <AuthorityCard authority={authority} />
          <ImportDrawer targets={served.map(({ target }) => target)} />
        </>
      )}
    </Reading>
  );
}

function AuthorityCard({ authority }: { readonly authority: Output<'getCertificates'>['authority'] }) {
  const { t } = useTranslation('settings');
  const host = useHost();
  return (
    <SectionCard
      title={t('certificates.ca.title')}
      description={t('certificates.ca.description')}
      actions={
        <Button
          variant="default"
          leftSection={<IconDownload size={16} stroke={1.5} />}
          onClick={() => void host.save(CA_FILE, 'application/x-pem-file', authority.pem).catch(notifyFailure)}
        >
          {t('certificates.ca.download')}
        </Button>
      }
    >
      <dl className={rows.facts}>
        <div>
          <dt>{t('certificates.until')}</dt>
          <dd>
            <DateTime at={authority.not_after} style="dateLong" />
          </dd>
        </div>
        <div>
          <dt>{t('certificates.fingerprint')}</dt>
          <dd>
            <CopyLine value={authority.fingerprint} label={t('certificates.copyFingerprint')} />
          </dd>
        </div>
      </dl>
      <p className={rows.hint}>{t('certificates.ca.use')}</p>
    </SectionCard>
  );
}
