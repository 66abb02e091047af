// The form of an ACME order: names, authority, type of challenge, and the agreement to the authority's terms.
import { Checkbox, Radio, Select, TagsInput, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import {
  type Acme,
  type AcmeChallenge,
  LETS_ENCRYPT,
  LETS_ENCRYPT_STAGING,
} from '../../../../../contract/settings/acme.ts';
import type { CERTIFICATE_TARGETS } from '../../../../../contract/settings/certificates.ts';
import { FormDrawer } from '../../../components/form/form-drawer.tsx';
import { useOperationForm } from '../../../components/form/use-operation-form.ts';
import { WholeNumberInput } from '../../../components/form/whole-number-input.tsx';
import { buildHash } from '../../../router/route.ts';
import { leave, useRoute } from '../../../router/router.ts';
import rows from '../parts/rows.module.css';

type Target = (typeof CERTIFICATE_TARGETS)[number];

interface AcmeDrawerProps {
  readonly acme: Acme;
  /** Listeners that exist. */
  readonly targets: readonly Target[];
}

/** Page `#/settings/certificates/acme`. */
export function AcmeDrawer(props: AcmeDrawerProps) {
  // Mounted on each opening, so that former input is gone.
  return useRoute().path[2] === 'acme' ? <AcmeForm {...props} /> : null;
}

const OTHER = 'other';
const KNOWN: readonly string[] = [LETS_ENCRYPT, LETS_ENCRYPT_STAGING];

interface Values extends Record<string, unknown> {
  readonly names: string[];
  readonly authority: string;
  readonly directory_url: string;
  readonly email: string;
  readonly challenge: AcmeChallenge;
  readonly http_port: number | string;
  readonly targets: Target[];
  readonly agrees_to_terms: boolean;
}

function buildInitialValues(settings: Acme['settings']): Values {
  const url = settings?.directory_url ?? LETS_ENCRYPT;
  return {
    names: [...(settings?.names ?? [])],
    authority: KNOWN.includes(url) ? url : OTHER,
    directory_url: KNOWN.includes(url) ? '' : url,
    email: settings?.email ?? '',
    challenge: settings?.challenge ?? 'http-01',
    http_port: settings?.http_port ?? 80,
    targets: [...(settings?.targets ?? (['panel', 'links'] as const))],
    agrees_to_terms: false,
  };
}

function AcmeForm({ acme, targets }: AcmeDrawerProps) {
  const { t } = useTranslation('settings');
  const close = () => leave(buildHash(['settings', 'certificates']));
  const form = useOperationForm<'setUpAcme', Values>({
    operation: 'setUpAcme',
    initial: buildInitialValues(acme.settings),
    toInput: (values) => ({
      names: values.names,
      directory_url: values.authority === OTHER ? values.directory_url.trim() : values.authority,
      email: values.email.trim() === '' ? null : values.email.trim(),
      challenge: values.challenge,
      http_port: Number(values.http_port),
      targets: values.targets,
      // Always true here: `check` refuses the form without the agreement.
      agrees_to_terms: values.agrees_to_terms as true,
    }),
    check: ({ names, agrees_to_terms }): Record<string, string> => ({
      ...(names.length === 0 && { names: t('certificates.acme.form.noNames') }),
      ...(!agrees_to_terms && { agrees_to_terms: t('certificates.acme.form.termsMissing') }),
    }),
    message: () => ({ text: t('certificates.acme.form.ordered') }),
    onDone: close,
  });
  const { getInputProps, getValues } = form.form;
  const { authority, challenge } = getValues();
  return (
    <FormDrawer
      isOpen
      onClose={close}
      title={t('certificates.acme.form.title')}
      action={t('certificates.acme.form.submit')}
      form={form}
      width={560}
    >
      <p className={rows.hint}>{t('certificates.acme.needs')}</p>
      <TagsInput
        label={t('certificates.acme.form.names')}
        description={t('certificates.acme.form.namesHint')}
        acceptValueOnBlur
        data-autofocus
        {...getInputProps('names')}
      />
      <Select
        label={t('certificates.acme.form.authority')}
        description={t('certificates.acme.form.authorityHint')}
        allowDeselect={false}
        data={[
          { value: LETS_ENCRYPT, label: t('certificates.acme.letsEncrypt') },
          { value: LETS_ENCRYPT_STAGING, label: t('certificates.acme.staging') },
          { value: OTHER, label: t('certificates.acme.other') },
        ]}
        {...getInputProps('authority')}
      />
      {authority === OTHER && (
        <TextInput
          label={t('certificates.acme.form.directory')}
          description={t('certificates.acme.form.directoryHint')}
          type="url"
          autoComplete="off"
          spellCheck={false}
          {...getInputProps('directory_url')}
        />
      )}
      <TextInput
        label={t('certificates.acme.form.email')}
        description={t('certificates.acme.form.emailHint')}
        type="email"
        autoComplete="email"
        {...getInputProps('email')}
      />
      <Radio.Group label={t('certificates.acme.form.challenge')} {...getInputProps('challenge')}>
        <div className={rows.stack}>
          <Radio
            value="http-01"
            label={t('certificates.acme.form.http')}
            description={t('certificates.acme.form.httpHint')}
          />
          <Radio
            value="tls-alpn-01"
            label={t('certificates.acme.form.alpn')}
            description={t('certificates.acme.form.alpnHint')}
          />
        </div>
      </Radio.Group>
      {challenge === 'http-01' && (
        <WholeNumberInput
          label={t('certificates.acme.form.port')}
          description={t('certificates.acme.form.portHint')}
          {...getInputProps('http_port')}
        />
      )}
      {targets.length > 1 && (
        <Checkbox.Group label={t('certificates.acme.form.targets')} {...getInputProps('targets')}>
          <div className={rows.stack}>
            {targets.map((target) => (
              <Checkbox key={target} value={target} label={t(`certificates.${target}`)} />
            ))}
          </div>
        </Checkbox.Group>
      )}
      <Checkbox
        label={t('certificates.acme.form.terms')}
        description={t('certificates.acme.form.termsHint')}
        {...getInputProps('agrees_to_terms', { type: 'checkbox' })}
      />
    </FormDrawer>
  );
}
