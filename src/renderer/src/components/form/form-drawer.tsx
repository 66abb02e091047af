// A form in a drawer over its list. Input survives every failure, and leaving asks before it is discarded.
import { Button } from '@mantine/core';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useShortcuts } from '../acts/keys.ts';
import { Confirm } from '../confirm.tsx';
import { RecordDrawer } from '../record-drawer.tsx';
import classes from './form.module.css';
import { FormFailure } from './form-failure.tsx';
import { useUnsaved } from './unsaved.tsx';
import type { OperationForm } from './use-operation-form.ts';

export interface FormDrawerProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** "Add a plan", "Edit Anna Smirnova". */
  readonly title: string;
  readonly subtitle?: ReactNode;
  /** Further actions on the record, in the head. */
  readonly actions?: ReactNode;
  /** The verb on the button: "Add", "Save". */
  readonly action: string;
  // Only the form's state, so that its fields may have any type.
  readonly form: Pick<
    OperationForm<Record<string, unknown>>,
    'failure' | 'isBusy' | 'isDirty' | 'submit' | 'overwrite'
  >;
  /** Loads the present values into the form, after a change by someone else. */
  readonly onReload?: () => void;
  readonly width?: 480 | 560 | 640;
  /** The record is a row of the list: on wide screens the form is a side panel. */
  readonly isOfList?: boolean;
  /** false: initial values are still loading, so the form cannot be sent. */
  readonly isReady?: boolean;
  readonly children: ReactNode;
}

export function FormDrawer({
  isOpen,
  onClose,
  title,
  subtitle,
  actions,
  action,
  form,
  onReload,
  width = 480,
  isOfList = false,
  isReady = true,
  children,
}: FormDrawerProps) {
  const { t } = useTranslation(['frame', 'common']);
  const id = useId();
  const [isAsking, setAsking] = useState(false);
  const isUnsaved = form.isDirty && !form.isBusy;
  const close = () => (isUnsaved ? setAsking(true) : onClose());
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (isReady) form.submit(event);
  };
  useUnsaved(isOpen && isUnsaved);
  useShortcuts([{ keys: 'mod+enter', label: action, inInputs: true, run: () => submit() }], {
    isOn: isOpen,
    inDialog: true,
  });
  return (
    <>
      <RecordDrawer
        isOpen={isOpen}
        onClose={close}
        title={title}
        width={width}
        isOfList={isOfList}
        {...(subtitle !== undefined && { subtitle })}
        {...(actions !== undefined && { actions })}
        footer={
          <>
            <Button variant="default" onClick={close}>
              {t('common:cancel')}
            </Button>
            <Button type="submit" form={id} loading={form.isBusy || !isReady}>
              {action}
            </Button>
          </>
        }
      >
        <form id={id} className={classes.form} noValidate onSubmit={submit}>
          {children}
          <FormFailure failure={form.failure} onReload={onReload} onOverwrite={form.overwrite} />
        </form>
      </RecordDrawer>
      <Confirm
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={t('frame:form.discardTitle')}
        action={t('frame:form.discard')}
        isDangerous
        onConfirm={async () => onClose()}
      >
        {t('frame:form.discardText')}
      </Confirm>
    </>
  );
}

/** Fields side by side if they fit. */
export function FieldRow({ children }: { readonly children: ReactNode }) {
  return <div className={classes.row}>{children}</div>;
}
