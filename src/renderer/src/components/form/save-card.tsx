// A card of fields that are saved together.
import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SectionCard } from '../page.tsx';
import { FormFailure } from './form-failure.tsx';
import classes from './save-card.module.css';
import { useUnsaved } from './unsaved.tsx';
import type { OperationForm } from './use-operation-form.ts';

type FormState = Pick<OperationForm<Record<string, unknown>>, 'failure' | 'isBusy' | 'isDirty' | 'submit'>;

interface SaveCardProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly form: FormState;
  /** What the change breaks; shown while there is one. */
  readonly warning?: ReactNode;
  /** The verb on the button; default: "Save". */
  readonly action?: string;
  /** Disables the button whatever was typed. */
  readonly isClosed?: boolean;
  readonly children: ReactNode;
}

export function SaveCard(props: SaveCardProps) {
  const { title, description, form, warning, action, isClosed = false, children } = props;
  const { t } = useTranslation('common');
  // The button appears with the first change and stays, as it has the focus after it was pressed.
  const [hasButton, setHasButton] = useState(form.isDirty);
  if (form.isDirty && !hasButton) setHasButton(true);
  useUnsaved(form.isDirty && !form.isBusy);
  return (
    <form noValidate onSubmit={form.submit}>
      <SectionCard
        title={title}
        {...(description !== undefined && { description })}
        {...(hasButton && {
          footer: (
            <Button type="submit" loading={form.isBusy} disabled={!form.isDirty || isClosed}>
              {action ?? t('save')}
            </Button>
          ),
        })}
      >
        <div className={classes.fields}>
          {children}
          {form.isDirty && warning !== undefined && warning !== null && (
            <div className={classes.warning}>{warning}</div>
          )}
          <FormFailure failure={form.failure} />
        </div>
      </SectionCard>
    </form>
  );
}
