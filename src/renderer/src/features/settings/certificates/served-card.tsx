// One certificate that is served: for whom, by whom, until when, and how it can be told from another.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Certificate } from '../../../../../contract/certificates.ts';
import { DateTime } from '../../../components/figures.tsx';
import { SectionCard } from '../../../components/page.tsx';
import { Mark } from '../../../components/state.tsx';
import { useFormat } from '../../../format/use-format.tsx';
import { hashOf } from '../../../router/route.ts';
import { CopyLine } from '../parts/copy-line.tsx';
import { Notice } from '../parts/notice.tsx';
import { ProofDialog } from '../parts/proof-dialog.tsx';
import rows from '../parts/rows.module.css';

export function ServedCard({ certificate }: { readonly certificate: Certificate }) {
  const { t } = useTranslation('settings');
  const { target, source, subject, issuer, names, fingerprint, not_before, not_after, days_left, warning } =
    certificate;
  return (
    <SectionCard title={t(`certificates.${target}`)} actions={<Acts certificate={certificate} />}>
      <div className={rows.stack}>
        {warning !== null && (
          <Notice tone={warning === 'ends_soon' ? 'warn' : 'bad'}>{t(`certificates.warning.${warning}`)}</Notice>
        )}
        <dl className={rows.facts}>
          <div>
            <dt>{t('certificates.names')}</dt>
            <dd>{names.join(', ')}</dd>
          </div>
          <div>
            <dt>{t('certificates.until')}</dt>
            <dd>
              <DateTime at={not_after} style="dateLong" />
              {days_left >= 0 && <span className={rows.aside}> {t('certificates.left', { count: days_left })}</span>}
            </dd>
          </div>
          <div>
            <dt>{t('certificates.from')}</dt>
            <dd>
              <DateTime at={not_before} style="dateLong" />
            </dd>
          </div>
          <div>
            <dt>{t('certificates.subject')}</dt>
            <dd>{subject}</dd>
          </div>
          <div>
            <dt>{t('certificates.issuer')}</dt>
            <dd>
              {issuer} <Mark>{t(source === 'local' ? 'certificates.local' : 'certificates.imported')}</Mark>
            </dd>
          </div>
          <div>
            <dt>{t('certificates.fingerprint')}</dt>
            <dd>
              <CopyLine value={fingerprint} label={t('certificates.copyFingerprint')} />
            </dd>
          </div>
        </dl>
      </div>
    </SectionCard>
  );
}

function Acts({ certificate: { target, source } }: { readonly certificate: Certificate }) {
  const { t } = useTranslation('settings');
  const format = useFormat();
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button component="a" variant="default" href={hashOf(['settings', 'certificates', 'import'], { for: target })}>
        {t('certificates.import')}
      </Button>
      <Button variant="default" onClick={() => setAsking(true)}>
        {t('certificates.renew')}
      </Button>
      <ProofDialog
        operation="renewCertificate"
        input={{ target }}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={t('certificates.renewTitle')}
        action={t('certificates.renew')}
        message={({ not_after }) => ({ text: t('certificates.renewed', { when: format.moment(not_after) }) })}
      >
        <p>{t('certificates.renewText')}</p>
        {source === 'imported' && <p>{t('certificates.renewImported')}</p>}
      </ProofDialog>
    </>
  );
}
