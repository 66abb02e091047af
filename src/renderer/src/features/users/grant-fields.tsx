// The fields of a grant: its amount, how long it lasts, and a note.
import { SegmentedControl, TextInput } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { GRANT_LIFETIMES, type GrantLifetime } from '../../../../contract/users/grants.ts';
import { BytesInput } from '../../components/form/bytes-input.tsx';
import { FieldRow } from '../../components/form/form-drawer.tsx';
import { WholeNumberInput } from '../../components/form/whole-number-input.tsx';
import type { GrantValues } from './grant-values.ts';
import classes from './users.module.css';

interface GrantFieldsProps {
  readonly lifetime: GrantLifetime;
  readonly inputProps: (field: keyof GrantValues) => GetInputPropsReturnType;
}

export function GrantFields({ lifetime, inputProps }: GrantFieldsProps) {
  const { t } = useTranslation('users');
  return (
    <>
      <BytesInput label={t('grants.amount')} required {...inputProps('bytes')} />
      <div>
        <span className={classes.fieldLabel} aria-hidden>
          {t('grants.lifetime')}
        </span>
        <SegmentedControl
          fullWidth
          aria-label={t('grants.lifetime')}
          data={GRANT_LIFETIMES.map((value) => ({ value, label: t(`grants.${value}`) }))}
          {...inputProps('lifetime')}
        />
      </div>
      <FieldRow>
        {lifetime === 'days' && <WholeNumberInput label={t('grants.dayCount')} min={1} {...inputProps('days')} />}
        <TextInput
          label={t('grants.note')}
          placeholder={t('grants.notePlaceholder')}
          autoComplete="off"
          {...inputProps('note')}
        />
      </FieldRow>
    </>
  );
}
