// Creates a key after the password was entered, and shows it once with an example command.
import { Button, Radio, Select, TextInput } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ACCESSES, EXPIRY_DAYS } from '../../../../../contract/access/keys.ts';
import type { Output } from '../../../../../contract/table.ts';
import { FormDrawer } from '../../../components/form/form-drawer.tsx';
import { useOperationForm } from '../../../components/form/use-operation-form.ts';
import { RecordDrawer } from '../../../components/record-drawer.tsx';
import { SecretOnce } from '../../../components/secret-once.tsx';
import { buildHash } from '../../../router/route.ts';
import { leave, useRoute } from '../../../router/router.ts';
import { CopyLine } from '../parts/parts.tsx';
import classes from './api.module.css';
import { buildCurlExample } from './curl.ts';
import { useApi } from './use-api.ts';

type Made = Output<'createKey'>;

/** Page `#/settings/security/api/new`. */
export function NewKey() {
  const isOpen = useRoute().path[3] === 'new';
  const [made, setMade] = useState<Made | null>(null);
  const close = () => {
    leave(buildHash(['settings', 'security', 'api']));
    setMade(null);
  };
  if (made !== null) return <Ready made={made} isOpen={isOpen} onClose={close} />;
  // Mounted on each opening, so that the form is empty.
  return isOpen ? <NewKeyForm onMade={setMade} onClose={close} /> : null;
}

interface NewKeyFormProps {
  readonly onMade: (made: Made) => void;
  readonly onClose: () => void;
}

const NEVER = 'never';

function NewKeyForm({ onMade, onClose }: NewKeyFormProps) {
  const { t } = useTranslation('settings');
  const form = useOperationForm({
    operation: 'createKey',
    initial: { name: '', access: 'read' as (typeof ACCESSES)[number], expires_in_days: '90' },
    toInput: ({ name, access, expires_in_days }) => ({
      name: name.trim(),
      access,
      expires_in_days: EXPIRY_DAYS.find((days) => String(days) === expires_in_days) ?? null,
    }),
    onDone: onMade,
  });
  const { getInputProps } = form.form;
  return (
    <FormDrawer isOpen onClose={onClose} title={t('api.new.title')} action={t('api.new.submit')} form={form}>
      <TextInput
        label={t('api.new.name')}
        description={t('api.new.nameHint')}
        autoComplete="off"
        data-autofocus
        {...getInputProps('name')}
      />
      <Radio.Group label={t('api.new.access')} {...getInputProps('access')}>
        <div className={classes.accesses}>
          {ACCESSES.map((access) => (
            <Radio
              key={access}
              value={access}
              label={t(`api.${access}`)}
              description={t(access === 'full' ? 'api.new.fullHint' : 'api.new.readHint')}
            />
          ))}
        </div>
      </Radio.Group>
      <Select
        label={t('api.new.expiry')}
        allowDeselect={false}
        data={[
          ...EXPIRY_DAYS.map((days) => ({ value: String(days), label: t('api.new.days', { count: days }) })),
          { value: NEVER, label: t('api.new.never') },
        ]}
        {...getInputProps('expires_in_days')}
      />
    </FormDrawer>
  );
}

/** Replaces the hidden part of a key. */
const HIDDEN_REST = '••••••••';

interface ReadyProps {
  readonly made: Made;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function Ready({ made: { key, value }, isOpen, onClose }: ReadyProps) {
  const { t } = useTranslation('settings');
  const api = useApi();
  return (
    <RecordDrawer
      isOpen={isOpen}
      onClose={onClose}
      title={t('api.ready.title', { name: key.name })}
      width={560}
      // A click outside must not close what is shown only once.
      canClose={false}
      footer={<Button onClick={onClose}>{t('api.ready.done')}</Button>}
    >
      <div className={classes.ready}>
        <SecretOnce value={value} copyLabel={t('api.ready.copy')} />
        {api !== undefined && (
          <>
            <h3>{t('api.ready.curl')}</h3>
            <CopyLine
              multiline
              value={buildCurlExample(api, '/users?limit=5', value)}
              shown={buildCurlExample(api, '/users?limit=5', `${key.prefix}${HIDDEN_REST}`)}
              label={t('api.ready.copyCurl')}
            />
            {api.saveAuthority !== null && (
              <div className={classes.authority}>
                <p className={classes.hint}>{t('api.ready.ca')}</p>
                <Button
                  variant="default"
                  leftSection={<IconDownload size={16} stroke={1.5} />}
                  onClick={api.saveAuthority}
                >
                  {t('api.ready.downloadCa')}
                </Button>
              </div>
            )}
          </>
        )}
      </div>
    </RecordDrawer>
  );
}
