// The fields of quiet hours, as a part of a form.
import { Select, Switch } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import classes from './notices.module.css';

const HOURS = Array.from({ length: 24 }, (_, hour) => ({
  value: String(hour),
  label: `${String(hour).padStart(2, '0')}:00`,
}));
const FIRST = { from: '22', until: '8' };

export interface QuietValues {
  readonly isQuiet: boolean;
  readonly from: string;
  readonly until: string;
}

type Quiet = { readonly from: number; readonly until: number } | null;

export function quietValuesOf(quiet: Quiet): QuietValues {
  if (quiet === null) return { isQuiet: false, ...FIRST };
  return { isQuiet: true, from: String(quiet.from), until: String(quiet.until) };
}

export function quietOf({ isQuiet, from, until }: QuietValues): Quiet {
  return isQuiet ? { from: Number(from), until: Number(until) } : null;
}

interface QuietFieldsProps {
  readonly values: QuietValues;
  readonly getInputProps: (name: keyof QuietValues, options?: { type: 'checkbox' }) => object;
}

export function QuietFields({ values, getInputProps }: QuietFieldsProps) {
  const { t } = useTranslation('settings');
  return (
    <>
      <Switch
        label={t('bot.notices.quiet')}
        description={t('bot.notices.quietHint')}
        {...getInputProps('isQuiet', { type: 'checkbox' })}
      />
      {values.isQuiet && (
        <div className={classes.hours}>
          <Select label={t('bot.notices.from')} data={HOURS} allowDeselect={false} {...getInputProps('from')} />
          <Select label={t('bot.notices.until')} data={HOURS} allowDeselect={false} {...getInputProps('until')} />
        </div>
      )}
    </>
  );
}
