// How XHTTP sends data, and its `extra` as JSON by the names of Xray: typed, pasted, or generated with one press.
import { Button, Select, Textarea } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { XHTTP_MODES } from '../../../../contract/xhttp.ts';
import type { OperationForm } from '../../components/form/use-operation-form.ts';
import classes from './connections.module.css';
import { newExtra, type Values, writeExtra } from './values.ts';

const NO_SHADOW = { shadow: 'none' } as const;

export function XhttpFields({ form }: { readonly form: OperationForm<Values>['form'] }) {
  const { t } = useTranslation('connections');
  const mode = XHTTP_MODES.find((one) => one === form.values.xhttp_mode) ?? 'auto';
  const fill = (hasObfuscation: boolean) => {
    form.setFieldValue('xhttp_extra', writeExtra(newExtra(hasObfuscation)));
    form.clearFieldError('xhttp_extra');
  };
  return (
    <>
      <Select
        label={t('xhttp.mode')}
        description={t(`xhttp.modeHint.${mode}`)}
        data={[...XHTTP_MODES]}
        allowDeselect={false}
        comboboxProps={NO_SHADOW}
        {...form.getInputProps('xhttp_mode')}
        value={mode}
        onChange={(value) => form.setFieldValue('xhttp_mode', value === 'auto' ? '' : (value ?? ''))}
      />
      <Textarea
        label={t('xhttp.extra')}
        description={t('xhttp.extraHint')}
        placeholder={'{ "xPaddingBytes": "100-1000" }'}
        autosize
        minRows={2}
        maxRows={16}
        maxLength={6000}
        spellCheck={false}
        autoComplete="off"
        dir="ltr"
        classNames={{ input: classes.code ?? '' }}
        {...form.getInputProps('xhttp_extra')}
      />
      <div className={classes.keyActs}>
        <Button variant="default" onClick={() => fill(false)}>
          {t('xhttp.usual')}
        </Button>
        <Button variant="default" leftSection={<IconRefresh size={16} stroke={1.5} />} onClick={() => fill(true)}>
          {t('xhttp.obfuscated')}
        </Button>
      </div>
    </>
  );
}
