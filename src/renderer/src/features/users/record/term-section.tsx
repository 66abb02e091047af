// The term: its end; extending or shortening it, with a preview of the new end; or setting a date.
import { Button, Checkbox, TextInput } from '@mantine/core';
import { IconCalendarPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { User } from '../../../../../contract/users/users.ts';
import { type Duration, extendEnd, shortenEnd } from '../../../../../domain/users/term.ts';
import { RelativeTime } from '../../../components/figures.tsx';
import { useOperationForm } from '../../../components/form/use-operation-form.ts';
import { DrawerSection, Facts } from '../../../components/record-drawer.tsx';
import { fromDateField, toDateField } from '../../../format/date-field.ts';
import { useFormat } from '../../../format/use-format.tsx';
import { useNow } from '../../../format/use-now.ts';
import { EditableFact } from './editable-fact.tsx';
import { InlineForm } from './inline-form.tsx';
import classes from './record.module.css';
import type { RecordProps } from './record-context.tsx';
import { TermPicker } from './term-picker.tsx';
import { canBeginAgain, useTermMessage } from './use-user-acts.ts';

export function TermSection({ user, refresh, part, onPart }: RecordProps) {
  const { t } = useTranslation('users');
  const format = useFormat();
  const zone = format.timeZone;
  const { expires_at: at, hold } = user;
  // In other states the record's main button already extends.
  const canExtend = (at !== null || hold !== null) && (user.state === 'disabled' || user.state === 'limited');
  return (
    <DrawerSection
      title={t('term.title')}
      actions={
        canExtend &&
        part !== 'extend' && (
          <Button
            variant="subtle"
            className={classes.sectionAct ?? ''}
            leftSection={<IconCalendarPlus size={16} stroke={1.5} />}
            onClick={() => onPart('extend')}
          >
            {t('act.extend')}
          </Button>
        )
      }
    >
      {(part === 'extend' || part === 'shorten') && (
        <TermForm key={part} act={part} user={user} onClose={() => onPart(null)} />
      )}
      <Facts>
        <EditableFact
          user={user}
          refresh={refresh}
          label={t('term.expires')}
          canUndo={hold === null}
          shown={
            hold !== null ? (
              t('term.hold', { term: format.term(hold) })
            ) : at === null ? (
              t('term.never')
            ) : (
              <>
                {format.moment(at, 'dateTime')}{' '}
                <span className={classes.quiet}>
                  <RelativeTime at={at} />
                </span>
              </>
            )
          }
          initial={() => ({
            expires_at: at === null ? '' : toDateField(Date.parse(at), zone),
            never: at === null && !hold,
          })}
          toPatch={({ expires_at, never }) => ({ expires_at: never ? null : fromDateField(expires_at, zone) })}
          check={({ expires_at, never }): Record<string, string> =>
            !never && fromDateField(expires_at, zone) === null ? { expires_at: t('term.noDate') } : {}
          }
          fields={(form) => (
            <>
              <TextInput
                type="datetime-local"
                aria-label={t('term.dateLabel')}
                description={hold === null ? t('term.dateHint', { zone }) : t('term.holdHint')}
                max="2100-01-01T00:00"
                disabled={form.getValues().never}
                {...form.getInputProps('expires_at')}
              />
              <Checkbox label={t('term.never')} {...form.getInputProps('never', { type: 'checkbox' })} />
            </>
          )}
        />
      </Facts>
    </DrawerSection>
  );
}

// Extends or shortens a term; the new end is shown before the button is pressed.

/** The operation and the texts of each action. */
const ACTS = {
  extend: { operation: 'extendUser', toast: 'extended', label: 'users:term.amount', submit: 'users:term.extendBy' },
  shorten: {
    operation: 'shortenUser',
    toast: 'shortened',
    label: 'users:term.amountOff',
    submit: 'users:term.shortenBy',
  },
} as const;

interface TermFormProps {
  readonly act: keyof typeof ACTS;
  readonly user: User;
  readonly onClose: () => void;
}

function TermForm({ act, user, onClose }: TermFormProps) {
  const { t } = useTranslation(['users', 'common']);
  const format = useFormat();
  const now = useNow();
  const { operation, toast, label, submit: submitText } = ACTS[act];
  const describeTerm = useTermMessage(user, toast);
  const operationForm = useOperationForm<'extendUser' | 'shortenUser', { term: Duration | null }>({
    operation,
    initial: { term: { months: 1 } },
    toInput: ({ term }) => ({ id: user.id, ...term }),
    message: (changed) => describeTerm(changed, Date.parse(changed.updated_at)),
    onDone: onClose,
  });
  const { form } = operationForm;
  const { term } = form.getValues();
  const result = useResult(act, user, term, now);
  const errors = form.errors as Record<string, string | undefined>;
  return (
    <InlineForm
      label={t(`users:act.${act}`)}
      submitLabel={term === null ? t(`users:act.${act}`) : t(submitText, { term: format.term(term) })}
      isDisabled={term === null || !result.isPossible}
      operation={operationForm}
      onClose={onClose}
    >
      <TermPicker
        label={t(label)}
        value={term}
        onChange={(next) => form.setFieldValue('term', next)}
        error={errors.months ?? errors.days ?? errors.term}
      />
      <p className={classes.result} aria-live="polite">
        {result.text}
        {act === 'extend' && canBeginAgain(user, now) && (
          <span className={classes.again}>
            {t('users:term.beginsAgain', { used: format.bytes(user.used_up + user.used_down) })}
          </span>
        )}
      </p>
    </InlineForm>
  );
}

/** The new end of the term as text. */
function useResult(act: keyof typeof ACTS, { expires_at: at, hold }: User, term: Duration | null, now: number) {
  const { t } = useTranslation('users');
  const format = useFormat();
  if (at === null && hold === null) return { text: t('term.unlimited'), isPossible: false };
  if (term === null) return { text: '', isPossible: false };
  const present = { expiresAt: at === null ? null : Date.parse(at), hold };
  const change = act === 'extend' ? extendEnd : shortenEnd;
  const result = change(present, term, now, format.timeZone);
  if (!result.ok) return { text: t('term.tooLate'), isPossible: false };
  const { end } = result;
  const newHold = end.hold !== null ? t('term.newHold', { term: format.term(end.hold) }) : '';
  if (end.hold !== null && act === 'extend') return { text: newHold, isPossible: true };
  if (end.hold !== null) return { text: `${newHold}. ${t('term.holdMonths')}`, isPossible: true };
  if (present.expiresAt !== null && end.expiresAt === present.expiresAt)
    return { text: t('term.over'), isPossible: false };
  if (end.expiresAt === now) return { text: t('term.endsNow'), isPossible: true };
  const date = format.moment(end.expiresAt ?? now, 'dateTime');
  return { text: t('term.newEnd', { date, when: format.relative(end.expiresAt ?? now, now) }), isPossible: true };
}
