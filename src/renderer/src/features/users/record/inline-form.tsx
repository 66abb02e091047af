// A form inside a section of a record: it scrolls into view and takes the focus. Escape or Cancel close it, after a question if something
// was typed.
import { Button } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { FormFailure } from '../../../components/form/form-failure.tsx';
import type { OperationForm } from '../../../components/form/use-operation-form.ts';
import { useReturnFocus } from '../../../components/record-drawer.tsx';
import classes from './record.module.css';
import { useEditing } from './record-context.tsx';

interface InlineFormProps {
  /** The accessible name of the form. */
  readonly label: string;
  readonly submitLabel: string;
  readonly isDisabled?: boolean;
  /** The result of useOperationForm. */
  readonly operation: Pick<OperationForm<never>, 'failure' | 'isBusy' | 'isDirty' | 'submit'>;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function InlineForm({ label, submitLabel, isDisabled = false, operation, onClose, children }: InlineFormProps) {
  const { t } = useTranslation('common');
  const { failure, isBusy, isDirty, submit } = operation;
  const box = useRef<HTMLFormElement>(null);
  const closeBy = useEditing(isDirty && !isBusy);
  // Called before the focus moves into the form, so that the former focus is known.
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
      aria-label={label}
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        event.stopPropagation();
        event.preventDefault();
        closeBy(onClose);
      }}
    >
      {children}
      <FormFailure failure={failure} />
      <span className={classes.editorActs}>
        <Button type="submit" loading={isBusy} disabled={isDisabled}>
          {submitLabel}
        </Button>
        <Button variant="default" onClick={() => closeBy(onClose)}>
          {t('cancel')}
        </Button>
      </span>
    </form>
  );
}
