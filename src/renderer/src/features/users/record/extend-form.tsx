// Extends a term; where it will end stands beside the button before it is pressed.
import { Button } from '@mantine/core';
import { useEffect, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { User } from '../../../../../contract/users.ts';
import { FormFailure } from '../../../components/form/form-failure.tsx';
import type { Term } from '../../../components/form/term-input.tsx';
import { useOperationForm } from '../../../components/form/use-operation-form.ts';
import { useReturnFocus } from '../../../components/use-return-focus.ts';
import { useFormat } from '../../../format/use-format.tsx';
import { useNow } from '../../../format/use-now.ts';
import { endAfter } from '../zoned.ts';
import { useEditing } from './editing.tsx';
import classes from './record.module.css';
import { TermPicker } from './term-picker.tsx';
import { useExtendSaid } from './use-user-acts.ts';

export function ExtendForm({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const { t } = useTranslation(['users', 'common']);
  const format = useFormat();
  const now = useNow();
  const box = useRef<HTMLFormElement>(null);
  const said = useExtendSaid(user);
  useEditing(useId());
  const { form, failure, isBusy, submit } = useOperationForm<'extendUser', { term: Term | null }>({
    operation: 'extendUser',
    initial: { term: { months: 1 } },
    toInput: ({ term }) => ({ id: user.id, ...term }),
    said: (changed) => said(changed, now),
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
function useResult({ expires_at: at, hold }: User, term: Term | null, now: number) {
  const { t } = useTranslation('users');
  const format = useFormat();
  if (at === null && hold === null) return { text: t('term.unlimited'), isPossible: false };
  if (term === null) return { text: '', isPossible: false };
  if (hold !== null) {
    const months = hold.months + ('months' in term ? term.months : 0);
    const days = hold.days + ('days' in term ? term.days : 0);
    return { text: t('term.newHold', { term: format.term({ months, days }) }), isPossible: true };
  }
  const end = endAfter(Date.parse(at ?? ''), term, now, format.timeZone);
  if (end === null) return { text: t('term.tooLate'), isPossible: false };
  return {
    text: t('term.newEnd', { date: format.moment(end, 'dateTime'), when: format.relative(end, now) }),
    isPossible: true,
  };
}
