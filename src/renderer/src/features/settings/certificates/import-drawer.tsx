// Imports a certificate with its key, typed in or from files; an error is shown at the field that it is about.
import { FileButton, SegmentedControl, Textarea } from '@mantine/core';
import { IconFile } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { CERTIFICATE_TARGETS } from '../../../../../contract/certificates.ts';
import type { settings } from '../../../../../i18n/en/pages/settings.ts';
import { FormDrawer } from '../../../components/form/form-drawer.tsx';
import { useFormat } from '../../../format/use-format.tsx';
import { hashOf } from '../../../router/route.ts';
import { leave, useRoute } from '../../../router/router.ts';
import { ProofFields, useProvenForm, withoutProof } from '../parts/proof.tsx';
import rows from '../parts/rows.module.css';

type Target = (typeof CERTIFICATE_TARGETS)[number];

interface ImportDrawerProps {
  readonly targets: readonly Target[];
}

/** At `#/settings/certificates/import`. */
export function ImportDrawer({ targets }: ImportDrawerProps) {
  const { path, query } = useRoute();
  const asked = targets.find((target) => target === query.get('for')) ?? 'panel';
  // Mounted with each opening, so that no key typed before is in it.
  return path[2] === 'import' ? <ImportForm targets={targets} asked={asked} /> : null;
}

function ImportForm({ targets, asked }: ImportDrawerProps & { readonly asked: Target }) {
  const { t } = useTranslation('settings');
  const format = useFormat();
  const close = () => leave(hashOf(['settings', 'certificates']));
  const form = useProvenForm({
    operation: 'importCertificate',
    initial: { target: asked, certificate: '', private_key: '' },
    toInput: (values) => values,
    check: ({ certificate, private_key }): Record<string, string> => ({
      ...(certificate.trim() === '' && { certificate: t('certificates.wrong.not_pem') }),
      ...(private_key.trim() === '' && { private_key: t('certificates.wrong.unreadable') }),
    }),
    describeField: (_field, code) => (isImportRefusal(code) ? t(`certificates.wrong.${code}`) : undefined),
    message: ({ not_after }) => ({ text: t('certificates.form.done', { when: format.moment(not_after) }) }),
    onDone: close,
  });
  const { getInputProps, setFieldValue } = form.form;
  return (
    <FormDrawer
      isOpen
      onClose={close}
      title={t('certificates.import')}
      action={t('certificates.form.submit')}
      form={{ ...form, failure: withoutProof(form.failure) }}
      width={560}
    >
      {targets.length > 1 && (
        <SegmentedControl
          aria-label={t('certificates.form.target')}
          data={targets.map((value) => ({ value, label: t(`certificates.${value}`) }))}
          {...getInputProps('target')}
        />
      )}
      <Pem
        label={t('certificates.form.certificate')}
        hint={t('certificates.form.certificateHint')}
        inputProps={getInputProps('certificate')}
        onFile={(text) => setFieldValue('certificate', text)}
      />
      <Pem
        label={t('certificates.form.key')}
        hint={t('certificates.form.keyHint')}
        inputProps={getInputProps('private_key')}
        onFile={(text) => setFieldValue('private_key', text)}
      />
      <ProofFields form={form} />
    </FormDrawer>
  );
}

interface PemProps {
  readonly label: string;
  readonly hint: string;
  readonly inputProps: object;
  readonly onFile: (text: string) => void;
}

function Pem({ label, hint, inputProps, onFile }: PemProps) {
  const { t } = useTranslation('settings');
  return (
    <div>
      <Textarea
        label={label}
        description={hint}
        placeholder="-----BEGIN …"
        autosize
        minRows={4}
        maxRows={10}
        spellCheck={false}
        autoComplete="off"
        classNames={{ input: rows.pem ?? '' }}
        {...inputProps}
      />
      <FileButton accept=".pem,.crt,.cer,.key" onChange={(file) => void file?.text().then(onFile)}>
        {(props) => (
          <button type="button" className={rows.quiet} {...props}>
            <IconFile size={16} stroke={1.5} aria-hidden />
            {t('certificates.form.file')}
            <span className="visually-hidden">: {label}</span>
          </button>
        )}
      </FileButton>
    </div>
  );
}

// Why an imported certificate or key is refused, as the panel names it; each has its words in the texts.

type ImportRefusal = keyof (typeof settings)['certificates']['wrong'];

const REFUSALS: Readonly<Record<ImportRefusal, true>> = {
  not_pem: true,
  too_many: true,
  unreadable: true,
  encrypted: true,
  authority: true,
  ended: true,
  not_yet: true,
  no_names: true,
  weak: true,
  broken_chain: true,
  chain_ended: true,
  key_mismatch: true,
  unusable: true,
};

function isImportRefusal(code: string): code is ImportRefusal {
  return Object.hasOwn(REFUSALS, code);
}
