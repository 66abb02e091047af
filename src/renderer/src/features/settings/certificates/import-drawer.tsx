// Imports a certificate with its key, pasted or from files. Errors appear at their field.
import { SegmentedControl } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { CERTIFICATE_TARGETS } from '../../../../../contract/settings/certificates.ts';
import { FormDrawer } from '../../../components/form/form-drawer.tsx';
import { isPemRefusal, PemInput } from '../../../components/form/pem-input.tsx';
import { useOperationForm } from '../../../components/form/use-operation-form.ts';
import { useFormat } from '../../../format/use-format.tsx';
import { buildHash } from '../../../router/route.ts';
import { leave, useRoute } from '../../../router/router.ts';

type Target = (typeof CERTIFICATE_TARGETS)[number];

interface ImportDrawerProps {
  readonly targets: readonly Target[];
}

/** Page `#/settings/certificates/import`. */
export function ImportDrawer({ targets }: ImportDrawerProps) {
  const { path, query } = useRoute();
  const initialTarget = targets.find((target) => target === query.get('for')) ?? 'panel';
  // Mounted on each opening, so that a key entered before is gone.
  return path[2] === 'import' ? <ImportForm targets={targets} asked={initialTarget} /> : null;
}

function ImportForm({ targets, asked: initialTarget }: ImportDrawerProps & { readonly asked: Target }) {
  const { t } = useTranslation('settings');
  const format = useFormat();
  const close = () => leave(buildHash(['settings', 'certificates']));
  const form = useOperationForm({
    operation: 'importCertificate',
    initial: { target: initialTarget, certificate: '', private_key: '' },
    toInput: (values) => values,
    check: ({ certificate, private_key }): Record<string, string> => ({
      ...(certificate.trim() === '' && { certificate: t('certificates.wrong.not_pem') }),
      ...(private_key.trim() === '' && { private_key: t('certificates.wrong.unreadable') }),
    }),
    describeField: (_field, code) => (isPemRefusal(code) ? t(`certificates.wrong.${code}`) : undefined),
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
      form={form}
      width={560}
    >
      {targets.length > 1 && (
        <SegmentedControl
          aria-label={t('certificates.form.target')}
          data={targets.map((value) => ({ value, label: t(`certificates.${value}`) }))}
          {...getInputProps('target')}
        />
      )}
      <PemInput
        label={t('certificates.form.certificate')}
        hint={t('certificates.form.certificateHint')}
        inputProps={getInputProps('certificate')}
        onFile={(text) => setFieldValue('certificate', text)}
      />
      <PemInput
        label={t('certificates.form.key')}
        hint={t('certificates.form.keyHint')}
        inputProps={getInputProps('private_key')}
        onFile={(text) => setFieldValue('private_key', text)}
      />
    </FormDrawer>
  );
}
