// The keys of REALITY and WireGuard, generated with one press. The private key is sent when the form is saved and is never shown.
import { Button, PasswordInput, TextInput } from '@mantine/core';
import { IconKey, IconLock, IconRefresh } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FieldRow } from '../../components/form/form-drawer.tsx';
import type { OperationForm } from '../../components/form/use-operation-form.ts';
import { useAct } from '../../data/use-act.ts';
import classes from './connections.module.css';
import { newShortId, type Values } from './values.ts';

interface KeyFieldsProps {
  readonly form: OperationForm<Values>['form'];
  /** null: a new connection. */
  readonly present: { readonly hasPrivateKey: boolean; readonly publicKey: string } | null;
}

export function KeyFields({ form, present }: KeyFieldsProps) {
  const { t } = useTranslation('connections');
  const { values } = form;
  const isReality = values.security === 'reality';
  const [made, setMade] = useState('');
  const [isTyping, setTyping] = useState(false);
  const keys = useAct('makeRealityKeys', {
    onDone: ({ private_key, public_key }) => {
      const isUntouched = !form.isDirty();
      const next = { private_key, public_key, short_id: form.getValues().short_id || newShortId() };
      form.setValues(next);
      form.clearFieldError('public_key');
      setMade(private_key);
      setTyping(false);
      // Automatically generated keys do not count as input that could be lost.
      if (isUntouched && present === null) form.resetDirty({ ...form.getValues(), ...next });
    },
  });
  const wantsKeys = useRef(present === null && values.public_key === '');
  useEffect(() => {
    if (!wantsKeys.current) return;
    wantsKeys.current = false;
    keys.start({});
  });
  const isMade = made !== '' && values.private_key === made;
  const state = isMade
    ? 'made'
    : values.private_key !== ''
      ? 'typed'
      : present?.hasPrivateKey && present.publicKey === values.public_key
        ? 'kept'
        : present?.hasPrivateKey
          ? 'other'
          : 'none';
  return (
    <fieldset className={classes.keys}>
      <legend className={classes.legend}>{t(isReality ? 'keys.title' : 'keys.titleNode')}</legend>
      <TextInput
        label={t('fields.publicKey')}
        description={t('fields.publicKeyHint')}
        spellCheck={false}
        autoComplete="off"
        classNames={{ input: classes.code ?? '' }}
        {...form.getInputProps('public_key')}
      />
      {isReality && (
        <FieldRow>
          <TextInput
            label={t('fields.shortId')}
            description={t('fields.shortIdHint')}
            spellCheck={false}
            autoComplete="off"
            maxLength={16}
            classNames={{ input: classes.code ?? '' }}
            {...form.getInputProps('short_id')}
          />
        </FieldRow>
      )}
      <p className={classes.keyState} data-warns={state === 'other' || undefined} role="status">
        <IconLock size={16} stroke={1.5} aria-hidden />
        {t(`keys.${state}`)}
      </p>
      {present !== null && isMade && <p className={classes.warning}>{t('keys.breaks')}</p>}
      {isTyping && (
        <PasswordInput
          label={t('fields.privateKey')}
          description={t('fields.privateKeyHint')}
          autoComplete="off"
          visible={false}
          rightSection={<span />}
          classNames={{ input: classes.code ?? '' }}
          {...form.getInputProps('private_key')}
        />
      )}
      <div className={classes.keyActs}>
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} stroke={1.5} />}
          loading={keys.isRunning}
          onClick={() => keys.start({})}
        >
          {t('keys.make')}
        </Button>
        {isReality && (
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} stroke={1.5} />}
            onClick={() => form.setFieldValue('short_id', newShortId())}
          >
            {t('keys.makeShortId')}
          </Button>
        )}
        {!isTyping && (
          <Button
            variant="subtle"
            leftSection={<IconKey size={16} stroke={1.5} />}
            onClick={() => {
              setTyping(true);
              // The public key is derived from the private one.
              form.setValues({ private_key: '', ...((present === null || !isReality) && { public_key: '' }) });
            }}
          >
            {t('keys.enter')}
          </Button>
        )}
      </div>
    </fieldset>
  );
}
