// Adds traffic on top of the plan.
import { Button, NumberInput, SegmentedControl, TextInput } from '@mantine/core';
import { useEffect, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { GRANT_LIFETIMES, type GrantLifetime } from '../../../../../contract/grants.ts';
import type { User } from '../../../../../contract/users.ts';
import { BytesInput } from '../../../components/form/bytes-input.tsx';
import { FieldRow } from '../../../components/form/form-drawer.tsx';
import { FormFailure } from '../../../components/form/form-failure.tsx';
import { useOperationForm } from '../../../components/form/use-operation-form.ts';
import { useReturnFocus } from '../../../components/use-return-focus.ts';
import { useFormat } from '../../../format/use-format.tsx';
import { useEditing } from './editing.tsx';
import classes from './record.module.css';

interface Values extends Record<string, unknown> {
  bytes: number | null;
  lifetime: GrantLifetime;
  days: number | '';
  note: string;
}

const USUAL_DAYS = 30;

export function GrantForm({ user: { id, name }, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const { t } = useTranslation(['users', 'common']);
  const format = useFormat();
  const box = useRef<HTMLFormElement>(null);
  useEditing(useId());
  const { form, failure, isBusy, submit } = useOperationForm<'createGrant', Values>({
    operation: 'createGrant',
    initial: { bytes: null, lifetime: 'used', days: USUAL_DAYS, note: '' },
    toInput: ({ bytes, lifetime, days, note }) => ({
      id,
      // Left out it is missed, and the field says so.
      ...((bytes === null ? {} : { bytes }) as { bytes: number }),
      lifetime,
      ...(lifetime === 'days' && days !== '' && { days }),
      ...(note.trim() !== '' && { note }),
    }),
    message: ({ bytes }) => ({ text: t('users:said.granted', { name, amount: format.bytes(bytes) }) }),
    onDone: onClose,
  });
  // Before the focus goes into it.
  useReturnFocus(box);
  useEffect(() => {
    box.current?.scrollIntoView({ block: 'nearest' });
    box.current?.querySelector('input')?.focus();
  }, []);
  return (
    <form
      ref={box}
      className={classes.panel}
      noValidate
      aria-label={t('users:grants.add')}
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        event.stopPropagation();
        onClose();
      }}
    >
      <BytesInput label={t('users:grants.amount')} required {...form.getInputProps('bytes')} />
      <div>
        <span className={classes.label} aria-hidden>
          {t('users:grants.lifetime')}
        </span>
        <SegmentedControl
          fullWidth
          aria-label={t('users:grants.lifetime')}
          data={GRANT_LIFETIMES.map((value) => ({ value, label: t(`users:grants.${value}`) }))}
          {...form.getInputProps('lifetime')}
        />
      </div>
      <FieldRow>
        {form.getValues().lifetime === 'days' && (
          <NumberInput
            label={t('users:grants.dayCount')}
            min={1}
            clampBehavior="none"
            allowDecimal={false}
            allowNegative={false}
            hideControls
            {...form.getInputProps('days')}
          />
        )}
        <TextInput
          label={t('users:grants.note')}
          placeholder={t('users:grants.notePlaceholder')}
          autoComplete="off"
          {...form.getInputProps('note')}
        />
      </FieldRow>
      <FormFailure failure={failure} />
      <span className={classes.editorActs}>
        <Button type="submit" loading={isBusy}>
          {t('users:grants.add')}
        </Button>
        <Button variant="default" onClick={onClose}>
          {t('common:cancel')}
        </Button>
      </span>
    </form>
  );
}
