// VLESS encryption: both halves are generated with one press, or the node's one is entered. That is sent when the form is saved, and is never shown.
import { Button, PasswordInput, Select, Textarea } from '@mantine/core';
import { IconKey, IconLock, IconRefresh, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  splitVlessEncryption,
  VLESS_APPEARANCES,
  VLESS_AUTHENTICATIONS,
  type VlessAppearance,
  X25519_LENGTH,
} from '../../../../contract/vless-encryption.ts';
import { FieldRow } from '../../components/form/form-drawer.tsx';
import type { OperationForm } from '../../components/form/use-operation-form.ts';
import { useAct } from '../../data/use-act.ts';
import classes from './connections.module.css';
import type { Values } from './values.ts';

/** The same in every language. */
const KEY_NAMES = { x25519: 'X25519', mlkem768: 'ML-KEM-768' } as const;
const NO_SHADOW = { shadow: 'none' } as const;

interface EncryptionFieldsProps {
  readonly form: OperationForm<Values>['form'];
  readonly isNew: boolean;
}

/** What was generated before, else the usual choice. */
function readChoice(encryption: string) {
  const { appearance, keys } = splitVlessEncryption(encryption);
  const isPostQuantum = keys.some((key) => key.length > X25519_LENGTH);
  return {
    authentication: isPostQuantum ? ('mlkem768' as const) : ('x25519' as const),
    appearance: VLESS_APPEARANCES.find((one) => one === appearance) ?? ('native' as const),
  };
}

export function EncryptionFields({ form, isNew }: EncryptionFieldsProps) {
  const { t } = useTranslation('connections');
  const { encryption, decryption } = form.values;
  const [made, setMade] = useState('');
  const [isTyping, setTyping] = useState(false);
  const [choice, setChoice] = useState(readChoice(encryption));
  const halves = useAct('makeVlessEncryption', {
    onDone: (both) => {
      form.setValues(both);
      form.clearFieldError('encryption');
      setMade(both.decryption);
      setTyping(false);
    },
  });
  const isMade = made !== '' && decryption === made;
  const hasOne = encryption !== '' || decryption !== '';
  const state = isMade ? 'made' : decryption !== '' ? 'typed' : hasOne ? 'kept' : 'none';
  const remove = () => {
    form.setValues({ encryption: '', decryption: '' });
    setTyping(false);
  };
  return (
    <fieldset className={classes.keys}>
      <legend className={classes.legend}>{t('encryption.title')}</legend>
      <p className={classes.keyState} role="status">
        {hasOne && <IconLock size={16} stroke={1.5} aria-hidden />}
        {t(`encryption.${state}`)}
      </p>
      {!isNew && isMade && <p className={classes.warning}>{t('keys.breaks')}</p>}
      {encryption !== '' && (
        <Textarea
          label={t('encryption.shown')}
          description={t('encryption.shownHint')}
          readOnly
          autosize
          minRows={2}
          maxRows={4}
          spellCheck={false}
          classNames={{ input: classes.code ?? '' }}
          {...form.getInputProps('encryption')}
        />
      )}
      {isTyping && (
        <PasswordInput
          label={t('encryption.typedLabel')}
          description={t('encryption.typedHint')}
          autoComplete="off"
          visible={false}
          rightSection={<span />}
          classNames={{ input: classes.code ?? '' }}
          {...form.getInputProps('decryption')}
        />
      )}
      {!isTyping && (
        <FieldRow>
          <Select
            label={t('encryption.authentication')}
            description={t(`encryption.authenticationHint.${choice.authentication}`)}
            data={VLESS_AUTHENTICATIONS.map((value) => ({ value, label: KEY_NAMES[value] }))}
            allowDeselect={false}
            comboboxProps={NO_SHADOW}
            value={choice.authentication}
            onChange={(value) => value && setChoice({ ...choice, authentication: value })}
          />
          <Select
            label={t('encryption.appearance')}
            description={t(`encryption.appearanceHint.${choice.appearance}`)}
            data={VLESS_APPEARANCES.map((value: VlessAppearance) => ({ value, label: value }))}
            allowDeselect={false}
            comboboxProps={NO_SHADOW}
            value={choice.appearance}
            onChange={(value) => value && setChoice({ ...choice, appearance: value })}
          />
        </FieldRow>
      )}
      <div className={classes.keyActs}>
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} stroke={1.5} />}
          loading={halves.isRunning}
          onClick={() => halves.start(choice)}
        >
          {t('encryption.make')}
        </Button>
        {!isTyping && (
          <Button
            variant="subtle"
            leftSection={<IconKey size={16} stroke={1.5} />}
            onClick={() => {
              setTyping(true);
              // The half of apps follows from it.
              form.setValues({ encryption: '', decryption: '' });
            }}
          >
            {t('encryption.enter')}
          </Button>
        )}
        {(hasOne || isTyping) && (
          <Button variant="subtle" leftSection={<IconX size={16} stroke={1.5} />} onClick={remove}>
            {t('encryption.remove')}
          </Button>
        )}
      </div>
    </fieldset>
  );
}
