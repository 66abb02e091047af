// The ML-DSA-65 key of REALITY, generated with one press. Its seed is sent when the form is saved, and is never shown.
import { Button, PasswordInput, Textarea } from '@mantine/core';
import { IconKey, IconLock, IconRefresh, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { OperationForm } from '../../components/form/use-operation-form.ts';
import { useAct } from '../../data/use-act.ts';
import classes from './connections.module.css';
import type { Values } from './values.ts';

interface Mldsa65FieldsProps {
  readonly form: OperationForm<Values>['form'];
  readonly isNew: boolean;
}

export function Mldsa65Fields({ form, isNew }: Mldsa65FieldsProps) {
  const { t } = useTranslation('connections');
  const { mldsa65_verify: shown, mldsa65_seed: seed } = form.values;
  const [made, setMade] = useState('');
  const [isTyping, setTyping] = useState(false);
  const keys = useAct('makeMldsa65', {
    onDone: (both) => {
      form.setValues(both);
      form.clearFieldError('mldsa65_verify');
      setMade(both.mldsa65_seed);
      setTyping(false);
    },
  });
  const isMade = made !== '' && seed === made;
  const hasOne = shown !== '' || seed !== '';
  const state = isMade ? 'made' : seed !== '' ? 'typed' : hasOne ? 'kept' : 'none';
  const remove = () => {
    form.setValues({ mldsa65_verify: '', mldsa65_seed: '' });
    setTyping(false);
  };
  return (
    <fieldset className={classes.keys}>
      <legend className={classes.legend}>{t('mldsa65.title')}</legend>
      <p className={classes.keyState} role="status">
        {hasOne && <IconLock size={16} stroke={1.5} aria-hidden />}
        {t(`mldsa65.${state}`)}
      </p>
      {!isNew && isMade && <p className={classes.warning}>{t('keys.breaks')}</p>}
      {shown !== '' && (
        <Textarea
          label={t('mldsa65.shown')}
          description={t('mldsa65.shownHint')}
          readOnly
          autosize
          minRows={2}
          maxRows={4}
          spellCheck={false}
          classNames={{ input: classes.code ?? '' }}
          {...form.getInputProps('mldsa65_verify')}
        />
      )}
      {isTyping && (
        <PasswordInput
          label={t('mldsa65.seed')}
          description={t('mldsa65.seedHint')}
          autoComplete="off"
          visible={false}
          rightSection={<span />}
          classNames={{ input: classes.code ?? '' }}
          {...form.getInputProps('mldsa65_seed')}
        />
      )}
      <div className={classes.keyActs}>
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} stroke={1.5} />}
          loading={keys.isRunning}
          onClick={() => keys.start({})}
        >
          {t('mldsa65.make')}
        </Button>
        {!isTyping && (
          <Button
            variant="subtle"
            leftSection={<IconKey size={16} stroke={1.5} />}
            onClick={() => {
              setTyping(true);
              // The key of apps follows from it.
              form.setValues({ mldsa65_verify: '', mldsa65_seed: '' });
            }}
          >
            {t('mldsa65.enter')}
          </Button>
        )}
        {(hasOne || isTyping) && (
          <Button variant="subtle" leftSection={<IconX size={16} stroke={1.5} />} onClick={remove}>
            {t('mldsa65.remove')}
          </Button>
        )}
      </div>
    </fieldset>
  );
}
