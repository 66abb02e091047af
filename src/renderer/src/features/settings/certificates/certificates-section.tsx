// Settings, Certificates: the served certificates and their expiry, import, and the panel's own authority.
import { Button } from '@mantine/core';
import { IconCertificateOff, IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CA_FILE } from '../../../../../contract/openapi/trust.ts';
import type { Authority, Certificate } from '../../../../../contract/settings/certificates.ts';
import { Confirm } from '../../../components/confirm.tsx';
import { DateTime } from '../../../components/figures.tsx';
import { SectionCard } from '../../../components/page.tsx';
import { EmptyState } from '../../../components/placeholder.tsx';
import { Mark } from '../../../components/state.tsx';
import { useHost } from '../../../data/host.ts';
import { useAct } from '../../../data/use-act.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { useFormat } from '../../../format/use-format.tsx';
import { buildHash } from '../../../router/route.ts';
import { notifyFailure } from '../../../state/messages.ts';
import { CopyLine, Notice, Reading } from '../parts/parts.tsx';
import rows from '../parts/rows.module.css';
import { AcmeCard } from './acme-card.tsx';
import { ImportDrawer } from './import-drawer.tsx';

export function CertificatesSection() {
  const { t } = useTranslation('settings');
  const certificates = useOperation('getCertificates', {});
  if (certificates.data?.mode === 'proxy') {
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
          <AcmeCard targets={served.map(({ target }) => target)} />
          {authority !== null && <AuthorityCard authority={authority} />}
          <ImportDrawer targets={served.map(({ target }) => target)} />
        </>
      )}
    </Reading>
  );
}

function AuthorityCard({ authority }: { readonly authority: Authority }) {
  const { t } = useTranslation('settings');
  const format = useFormat();
  const { warning, replaced } = authority;
  return (
    <SectionCard
      title={t('certificates.ca.title')}
      description={t('certificates.ca.description')}
      actions={<AuthorityActions authority={authority} />}
    >
      <div className={rows.stack}>
        {replaced !== null && (
          <Notice tone="bad">{t('certificates.ca.replaced', { when: format.moment(replaced.at) })}</Notice>
        )}
        {warning !== null && (
          <Notice tone={warning === 'ends_soon' ? 'warn' : 'bad'}>{t(`certificates.ca.warning.${warning}`)}</Notice>
        )}
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
          {replaced !== null && (
            <div>
              <dt>{t('certificates.ca.former')}</dt>
              <dd>
                <CopyLine value={replaced.fingerprint} label={t('certificates.copyFingerprint')} />
              </dd>
            </div>
          )}
        </dl>
        <p className={rows.hint}>{t('certificates.ca.use')}</p>
      </div>
    </SectionCard>
  );
}

function AuthorityActions({ authority: { pem, replaced } }: { readonly authority: Authority }) {
  const { t } = useTranslation('settings');
  const host = useHost();
  const [isAsking, setAsking] = useState(false);
  const replace = useAct('replaceAuthority', { message: () => ({ text: t('certificates.ca.done') }) });
  const confirm = useAct('confirmAuthority', { message: () => ({ text: t('certificates.ca.confirmed') }) });
  return (
    <>
      {replaced !== null && (
        <Button variant="default" loading={confirm.isRunning} onClick={() => confirm.start({})}>
          {t('certificates.ca.confirm')}
        </Button>
      )}
      <Button
        variant="default"
        leftSection={<IconDownload size={16} stroke={1.5} />}
        onClick={() => void host.save(CA_FILE, 'application/x-pem-file', pem).catch(notifyFailure)}
      >
        {t('certificates.ca.download')}
      </Button>
      <Button variant="default" onClick={() => setAsking(true)}>
        {t('certificates.ca.replace')}
      </Button>
      <Confirm
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={t('certificates.ca.replaceTitle')}
        action={t('certificates.ca.replace')}
        onConfirm={() => replace.run({})}
        isDangerous
      >
        <p>{t('certificates.ca.replaceText')}</p>
        <p>{t('certificates.ca.replaceReload')}</p>
      </Confirm>
    </>
  );
}

// A served certificate: names, issuer, expiry and fingerprint.

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
          {subject !== '' && (
            <div>
              <dt>{t('certificates.subject')}</dt>
              <dd>{subject}</dd>
            </div>
          )}
          <div>
            <dt>{t('certificates.issuer')}</dt>
            <dd>
              {issuer} <Mark>{t(source === 'acme' ? 'certificates.acme.source' : `certificates.${source}`)}</Mark>
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
  const renew = useAct('renewCertificate', {
    message: ({ not_after }) => ({ text: t('certificates.renewed', { when: format.moment(not_after) }) }),
  });
  return (
    <>
      <Button component="a" variant="default" href={buildHash(['settings', 'certificates', 'import'], { for: target })}>
        {t('certificates.import')}
      </Button>
      <Button variant="default" onClick={() => setAsking(true)}>
        {t('certificates.renew')}
      </Button>
      <Confirm
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={t('certificates.renewTitle')}
        action={t('certificates.renew')}
        onConfirm={() => renew.run({ target })}
      >
        <p>{t('certificates.renewText')}</p>
        {source === 'imported' && <p>{t('certificates.renewImported')}</p>}
      </Confirm>
    </>
  );
}
