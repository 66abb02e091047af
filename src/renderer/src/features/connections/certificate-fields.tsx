// The certificate of a connection with TLS: the administrator's own, or one that the panel creates.
import { Button } from '@mantine/core';
import { IconCertificate, IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PemInput } from '../../components/form/pem-input.tsx';
import type { OperationForm } from '../../components/form/use-operation-form.ts';
import { useFormat } from '../../format/use-format.tsx';
import classes from './connections.module.css';
import type { Values } from './values.ts';

/** The certificate that is served now. */
export interface ShownCertificate {
  /** The administrator's own certificate in PEM; empty: created by the panel. */
  readonly own: string;
  readonly endsAt: string;
}

interface CertificateFieldsProps {
  readonly form: OperationForm<Values>['form'];
  readonly served: ShownCertificate | null;
}

export function CertificateFields({ form, served }: CertificateFieldsProps) {
  const { t } = useTranslation('connections');
  const format = useFormat();
  const { certificate, certificate_key } = form.values;
  const [isOpened, setOpened] = useState(false);
  const isOwn = isOpened || certificate !== '' || certificate_key !== '';
  const isPresent = served !== null && certificate === served.own;
  const source = isOwn ? 'own' : 'made';
  return (
    <fieldset className={classes.keys}>
      <legend className={classes.legend}>{t('certificate.title')}</legend>
      <p className={classes.keyState} role="status">
        <IconCertificate size={16} stroke={1.5} aria-hidden />
        <span>
          {t(`certificate.${source}`)}
          {isPresent && ` ${t('certificate.until', { when: format.moment(served.endsAt) })}`}
        </span>
      </p>
      {served !== null && !isPresent && <p className={classes.warning}>{t('certificate.breaks')}</p>}
      {isOwn && (
        <>
          <PemInput
            label={t('certificate.chain')}
            hint={t('certificate.chainHint')}
            inputProps={form.getInputProps('certificate')}
            onFile={(text) => form.setFieldValue('certificate', text)}
          />
          <PemInput
            label={t('certificate.key')}
            hint={t('certificate.keyHint')}
            inputProps={form.getInputProps('certificate_key')}
            onFile={(text) => form.setFieldValue('certificate_key', text)}
          />
        </>
      )}
      <div className={classes.keyActs}>
        {isOwn ? (
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} stroke={1.5} />}
            onClick={() => {
              setOpened(false);
              form.setValues({ certificate: '', certificate_key: '' });
            }}
          >
            {t('certificate.leave')}
          </Button>
        ) : (
          <Button
            variant="default"
            leftSection={<IconCertificate size={16} stroke={1.5} />}
            onClick={() => setOpened(true)}
          >
            {t('certificate.enter')}
          </Button>
        )}
      </div>
    </fieldset>
  );
}
