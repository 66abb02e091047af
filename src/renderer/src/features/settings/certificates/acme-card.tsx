// Certificates by ACME: settings, state, why the last order failed, and how to fix it.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Acme, LETS_ENCRYPT, LETS_ENCRYPT_STAGING } from '../../../../../contract/settings/acme.ts';
import type { CERTIFICATE_TARGETS } from '../../../../../contract/settings/certificates.ts';
import { Confirm } from '../../../components/confirm.tsx';
import { DateTime } from '../../../components/figures.tsx';
import { SectionCard } from '../../../components/page.tsx';
import { useAct } from '../../../data/use-act.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { useFormat } from '../../../format/use-format.tsx';
import { useNow } from '../../../format/use-now.ts';
import { buildHash } from '../../../router/route.ts';
import { Notice, Reading } from '../parts/parts.tsx';
import rows from '../parts/rows.module.css';
import { AcmeDrawer } from './acme-drawer.tsx';

/** An order takes seconds, and no event reports its start, so poll. */
const POLL_MS = 2000;

interface AcmeCardProps {
  /** Listeners that exist. */
  readonly targets: readonly (typeof CERTIFICATE_TARGETS)[number][];
}

export function AcmeCard({ targets }: AcmeCardProps) {
  const { t } = useTranslation('settings');
  const acme = useOperation('getAcme', {});
  const isMoving = acme.data?.status === 'waiting' || acme.data?.status === 'ordering';
  useOperation('getAcme', {}, { enabled: isMoving, pollMs: POLL_MS });
  return (
    <Reading title={t('certificates.acme.title')} query={acme} height={160}>
      {(state) => (
        <>
          <SectionCard title={t('certificates.acme.title')} actions={<Acts acme={state} />}>
            <div className={rows.stack}>
              {state.settings === null ? (
                <>
                  <p>{t('certificates.acme.off')}</p>
                  <p className={rows.hint}>{t('certificates.acme.needs')}</p>
                </>
              ) : (
                <AcmeStatus acme={state} settings={state.settings} />
              )}
            </div>
          </SectionCard>
          <AcmeDrawer acme={state} targets={targets} />
        </>
      )}
    </Reading>
  );
}

function AcmeStatus({ acme, settings }: { readonly acme: Acme; readonly settings: NonNullable<Acme['settings']> }) {
  const { t } = useTranslation('settings');
  const { failure, next_order_at, not_after, status } = acme;
  return (
    <>
      <div aria-live="polite">{failure !== null && <Failure failure={failure} failures={acme.failures} />}</div>
      <dl className={rows.facts}>
        <div>
          <dt>{t('certificates.acme.status')}</dt>
          <dd>
            <StatusText acme={acme} />
          </dd>
        </div>
        <div>
          <dt>{t('certificates.acme.names')}</dt>
          <dd>{settings.names.join(', ')}</dd>
        </div>
        <div>
          <dt>{t('certificates.acme.authority')}</dt>
          <dd>{useAuthorityName()(settings.directory_url)}</dd>
        </div>
        <div>
          <dt>{t('certificates.acme.check')}</dt>
          <dd>{t(settings.challenge === 'http-01' ? 'certificates.acme.form.http' : 'certificates.acme.form.alpn')}</dd>
        </div>
        {not_after !== null && (
          <div>
            <dt>{t('certificates.acme.until')}</dt>
            <dd>
              <DateTime at={not_after} style="dateLong" />
            </dd>
          </div>
        )}
        {next_order_at !== null && status !== 'waiting' && (
          <div>
            <dt>{t(status === 'active' ? 'certificates.acme.renewal' : 'certificates.acme.attempt')}</dt>
            <dd>
              <DateTime at={next_order_at} />
            </dd>
          </div>
        )}
      </dl>
    </>
  );
}

/** Below this time an order counts as due: the page's clock advances every 15 s only. */
const MOMENTS_MS = 30_000;

function StatusText({ acme: { status, next_order_at } }: { readonly acme: Acme }) {
  const { t } = useTranslation('settings');
  const format = useFormat();
  const now = useNow();
  if (status === 'off') return null;
  // The order waits because there were too many in the last hour.
  const isLater = next_order_at !== null && Date.parse(next_order_at) - now > MOMENTS_MS;
  if (status === 'waiting' && isLater) {
    return <span>{t('certificates.acme.state.later', { when: format.moment(next_order_at) })}</span>;
  }
  return <span>{t(`certificates.acme.state.${status}`)}</span>;
}

function useAuthorityName(): (directoryUrl: string) => string {
  const { t } = useTranslation('settings');
  return (url) => {
    if (url === LETS_ENCRYPT) return t('certificates.acme.letsEncrypt');
    return url === LETS_ENCRYPT_STAGING ? t('certificates.acme.staging') : url;
  };
}

type FailureOf = NonNullable<Acme['failure']>;

/** Remedies by the type of the authority's problem (RFC 8555, 6.7). */
const REMEDY_BY_TYPE: Readonly<Record<string, 'dns' | 'connection' | 'unauthorized' | 'caa' | 'identifier'>> = {
  dns: 'dns',
  connection: 'connection',
  tls: 'connection',
  unauthorized: 'unauthorized',
  incorrectResponse: 'unauthorized',
  caa: 'caa',
  rejectedIdentifier: 'identifier',
  unsupportedIdentifier: 'identifier',
};

function findRemedy({ code, type }: FailureOf) {
  switch (code) {
    case 'port_in_use':
      return 'port';
    case 'port_forbidden':
      return 'permission';
    case 'unreachable':
      return 'network';
    case 'no_challenge':
      return 'challenge';
    case 'refused':
      return REMEDY_BY_TYPE[type ?? ''] ?? 'read';
    default:
      return 'wait';
  }
}

/** Failures whose detail is a text to show. For the others it is a port, which is in the sentence already. */
const WITH_WORDS: readonly FailureOf['code'][] = ['refused', 'rate_limited', 'unreachable', 'unusable'];

function Failure({ failure, failures }: { readonly failure: FailureOf; readonly failures: number }) {
  const { t } = useTranslation('settings');
  const { code, name, detail } = failure;
  const hasWords = detail !== null && WITH_WORDS.includes(code);
  return (
    <Notice tone="bad">
      <p>{t(`certificates.acme.why.${code}`, { detail: detail ?? '' })}</p>
      {hasWords && (
        <p>
          {name === null ? t('certificates.acme.saysAll', { detail }) : t('certificates.acme.says', { name, detail })}
        </p>
      )}
      <p>{t(`certificates.acme.mend.${findRemedy(failure)}`)}</p>
      <p>{t('certificates.acme.failed', { count: failures })}</p>
    </Notice>
  );
}

function Acts({ acme: { status, settings } }: { readonly acme: Acme }) {
  const { t } = useTranslation('settings');
  const format = useFormat();
  const [isAsking, setAsking] = useState(false);
  const retry = useAct('retryAcme', {
    message: ({ next_order_at }) =>
      next_order_at === null
        ? undefined
        : { text: t('certificates.acme.retried', { when: format.moment(next_order_at) }) },
  });
  const turnOff = useAct('turnOffAcme', { message: () => ({ text: t('certificates.acme.turnedOff') }) });
  const isOn = settings !== null;
  return (
    <>
      {status === 'failing' && (
        <Button variant="default" loading={retry.isRunning} onClick={() => retry.start({})}>
          {t('certificates.acme.retry')}
        </Button>
      )}
      {isOn && (
        <Button variant="default" onClick={() => setAsking(true)}>
          {t('certificates.acme.turnOff')}
        </Button>
      )}
      <Button component="a" variant="default" href={buildHash(['settings', 'certificates', 'acme'])}>
        {t(isOn ? 'certificates.acme.change' : 'certificates.acme.setUp')}
      </Button>
      <Confirm
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={t('certificates.acme.turnOffTitle')}
        action={t('certificates.acme.turnOff')}
        onConfirm={() => turnOff.run({})}
      >
        <p>{t('certificates.acme.turnOffText')}</p>
      </Confirm>
    </>
  );
}
