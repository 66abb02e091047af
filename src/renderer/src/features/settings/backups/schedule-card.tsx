// The schedule of automatic backups, how many are kept, and whether they contain secrets.
import { NumberInput, PasswordInput, Radio, Select } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { ERRORS, type ErrorCode } from '../../../../../contract/errors.ts';
import type { Output } from '../../../../../contract/table.ts';
import { When } from '../../../components/figures.tsx';
import { SaveCard } from '../../../components/form/save-card.tsx';
import { useOperationForm } from '../../../components/form/use-operation-form.ts';
import { Notice } from '../parts/parts.tsx';
import rows from '../parts/rows.module.css';

type Schedule = Output<'scheduleBackups'>;
type Secrets = 'keep' | 'none' | 'new';

const NEVER = 'never';

/** Formats an interval in hours, such as "Every day". */
export function usePeriod(): (hours: number) => string {
  const { t } = useTranslation('settings');
  return (hours) => {
    const { unit, count } = periodOf(hours);
    return count === 1 ? t(`backups.schedule.each.${unit}`) : t(`backups.schedule.${unit}`, { count });
  };
}

export function ScheduleCard({ schedule }: { readonly schedule: Schedule }) {
  const { t } = useTranslation(['settings', 'errors']);
  const { every_hours, keep, encrypted } = schedule;
  const period = usePeriod();
  const initial = {
    every_hours: every_hours === null ? NEVER : String(every_hours),
    keep,
    secrets: (encrypted ? 'keep' : 'none') as Secrets,
    passphrase: '',
  };
  const form = useOperationForm({
    operation: 'scheduleBackups',
    initial,
    toInput: ({ every_hours: every, keep: count, secrets, passphrase }) => ({
      every_hours: every === NEVER ? null : Number(every),
      keep: count,
      ...(secrets === 'none' && { passphrase: null }),
      ...(secrets === 'new' && { passphrase }),
    }),
    message: () => ({ text: t('settings:backups.schedule.saved') }),
    onDone({ encrypted: isEncrypted }) {
      const after = { secrets: (isEncrypted ? 'keep' : 'none') as Secrets, passphrase: '' };
      form.form.setValues(after);
      form.form.resetDirty({ ...form.form.getValues(), ...after });
    },
  });
  const { getInputProps, getValues } = form.form;
  return (
    <SaveCard
      title={t('settings:backups.schedule.title')}
      description={t('settings:backups.schedule.description')}
      form={form}
    >
      <Last schedule={schedule} />
      <Select
        label={t('settings:backups.schedule.every')}
        allowDeselect={false}
        data={listChoices(every_hours).map((hours) => ({
          value: hours === null ? NEVER : String(hours),
          label: hours === null ? t('settings:backups.schedule.off') : period(hours),
        }))}
        {...getInputProps('every_hours')}
      />
      <NumberInput label={t('settings:backups.schedule.keep')} allowDecimal={false} {...getInputProps('keep')} />
      <Radio.Group label={t('settings:backups.schedule.secrets')} {...getInputProps('secrets')}>
        <div className={rows.choices}>
          {encrypted && <Radio value="keep" label={t('settings:backups.schedule.secretsKeep')} />}
          <Radio value="none" label={t('settings:backups.schedule.secretsNone')} />
          <Radio value="new" label={t('settings:backups.schedule.secretsNew')} />
        </div>
      </Radio.Group>
      {getValues().secrets === 'new' && (
        <PasswordInput
          label={t('settings:backups.make.passphrase')}
          autoComplete="new-password"
          {...getInputProps('passphrase')}
        />
      )}
    </SaveCard>
  );
}

/** Time of the last automatic backup, and why the last attempt failed. */
function Last({ schedule: { every_hours, last_at, last_error } }: { readonly schedule: Schedule }) {
  const { t } = useTranslation(['settings', 'errors']);
  if (last_error !== null) {
    const reason = last_error in ERRORS ? t(`errors:code.${last_error as ErrorCode}`) : last_error;
    return <Notice tone="bad">{t('settings:backups.schedule.failed', { reason: reason.replace(/\.$/, '') })}</Notice>;
  }
  if (every_hours === null && last_at === null) return null;
  return (
    <p className={rows.aside}>
      {last_at === null ? (
        t('settings:backups.schedule.never')
      ) : (
        <When at={last_at} text={(when) => t('settings:backups.schedule.last', { when })} />
      )}
    </p>
  );
}

// The intervals of automatic backups that can be chosen.

/** In hours; null: never. */
const USUAL: readonly (number | null)[] = [null, 1, 6, 12, 24, 72, 168];

/** The intervals to offer, including the present one, in order. */
export function listChoices(present: number | null): readonly (number | null)[] {
  const all = USUAL.includes(present) ? USUAL : [...USUAL, present];
  return [...all].sort((a, b) => (a ?? 0) - (b ?? 0));
}

/** Converts hours to whole days if possible. */
export function periodOf(hours: number): { readonly unit: 'hours' | 'days'; readonly count: number } {
  return hours % 24 === 0 ? { unit: 'days', count: hours / 24 } : { unit: 'hours', count: hours };
}
