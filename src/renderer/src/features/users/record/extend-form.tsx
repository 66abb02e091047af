// Extends a term; where it will end stands beside the button before it is pressed.
import { Button } from '@mantine/core';
import { useEffect, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { User } from '../../../../../contract/users.ts';
import type { Duration } from '../../../../../domain/term.ts';
import { extendEnd } from '../../../../../domain/term.ts';
import { FormFailure } from '../../../components/form/form-failure.tsx';
import { useOperationForm } from '../../../components/form/use-operation-form.ts';
import { useReturnFocus } from '../../../components/use-return-focus.ts';
import { useFormat } from '../../../format/use-format.tsx';
import { useNow } from '../../../format/use-now.ts';
import { useEditing } from './editing.tsx';
import classes from './record.module.css';
import { TermPicker } from './term-picker.tsx';
import { useExtensionMessage } from './use-user-acts.ts';

export function ExtendForm({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const { t } = useTranslation(['users', 'common']);
  const format = useFormat();
  const now = useNow();
  const box = useRef<HTMLFormElement>(null);
  const describeExtension = useExtensionMessage(user);
  useEditing(useId());
  const { form, failure, isBusy, submit } = useOperationForm<'extendUser', { term: Duration | null }>({
    operation: 'extendUser',
    initial: { term: { months: 1 } },
    toInput: ({ term }) => ({ id: user.id, ...term }),
    message: (changed) => describeExtension(changed, now),
    onDone: onClose,
  });
  // Before the focus goes into it.
  useReturnFocus(box);
  useEffect(() => {
    box.current?.scrollIntoView({ block: 'nearest' });
    box.current?.querySelector('input')?.focus();
  }, []);
  const { term } = form.getValues();
  const result = useResult(user, term, now);
  const errors = form.errors as Record<string, string | undefined>;
  return (
    <form
      ref={box}
      className={classes.panel}
      noValidate
      aria-label={t('users:act.extend')}
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        event.stopPropagation();
        onClose();
      }}
    >
      <TermPicker
        value={term}
        onChange={(next) => form.setFieldValue('term', next)}
        error={errors.months ?? errors.days ?? errors.term}
      />
      <p className={classes.result} aria-live="polite">
        {result.text}
      </p>
      <FormFailure failure={failure} />
      <span className={classes.editorActs}>
        <Button type="submit" loading={isBusy} disabled={term === null || !result.isPossible}>
          {term === null ? t('users:act.extend') : t('users:term.extendBy', { term: format.term(term) })}
        </Button>
        <Button variant="default" onClick={onClose}>
          {t('common:cancel')}
        </Button>
      </span>
    </form>
  );
}

/** Where the term will end, in words. */
function useResult({ expires_at: at, hold }: User, term: Duration | null, now: number) {
  const { t } = useTranslation('users');
  const format = useFormat();
  if (at === null && hold === null) return { text: t('term.unlimited'), isPossible: false };
  if (term === null) return { text: '', isPossible: false };
  const present = { expiresAt: at === null ? null : Date.parse(at), hold };
  const result = extendEnd(present, term, now, format.timeZone);
  if (!result.ok) return { text: t('term.tooLate'), isPossible: false };
  const { end } = result;
  if (end.hold !== null) return { text: t('term.newHold', { term: format.term(end.hold) }), isPossible: true };
  const date = format.moment(end.expiresAt ?? now, 'dateTime');
  return { text: t('term.newEnd', { date, when: format.relative(end.expiresAt ?? now, now) }), isPossible: true };
}
