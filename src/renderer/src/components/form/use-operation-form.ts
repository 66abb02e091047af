// A form that sends one operation: validated by the contract before sending; refused input stays in its fields.
import { type UseFormReturnType, useForm } from '@mantine/form';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PanelCallError } from '../../../../contract/client.ts';
import type { OperationId, Output } from '../../../../contract/table.ts';
import { type OperationRunnerOptions, useAct } from '../../data/use-act.ts';
import type { CallInput } from '../../data/use-operation.ts';
import { type DescribeField, type FieldTexts, refusedFields, wrongFields } from './field-errors.ts';

export interface OperationFormOptions<Id extends OperationId, Values extends Record<string, unknown>>
  extends Omit<OperationRunnerOptions<Id>, 'onFailure'> {
  readonly operation: Id;
  /** Initial values; fields have the contract's names. */
  readonly initial: Values;
  /** Converts values to the operation's input: gigabytes become bytes, an empty limit becomes null. */
  toInput(values: Values): CallInput<Id>;
  /** Checks that the contract cannot express, such as two equal passwords; returns texts by field. */
  readonly check?: (values: Values) => FieldTexts;
  readonly describeField?: DescribeField;
  /** The record's entity tag when the form was opened, so that a change by someone else is reported and not overwritten. */
  readonly ifMatch?: string | undefined;
}

export interface OperationForm<Values extends Record<string, unknown>> {
  /** `form.getInputProps('name')` for each field. */
  readonly form: UseFormReturnType<Values>;
  /** Why the form could not be sent as a whole; errors of single fields are shown at the fields. */
  readonly failure: PanelCallError | null;
  readonly isBusy: boolean;
  readonly isDirty: boolean;
  /** For the form's onSubmit. */
  submit(event?: FormEvent): void;
  /** Sends again without the entity tag, overwriting the other change. */
  overwrite(): void;
}

export function useOperationForm<Id extends OperationId, Values extends Record<string, unknown>>(
  options: OperationFormOptions<Id, Values>,
): OperationForm<Values> {
  const { operation, initial, toInput, check, describeField, ifMatch, onDone, ...act } = options;
  const { t } = useTranslation('errors');
  const [failure, setFailure] = useState<PanelCallError | null>(null);
  const form = useForm<Values>({ initialValues: initial });
  const done = (output: Output<Id>, input: CallInput<Id>) => {
    form.resetDirty();
    onDone?.(output, input);
  };
  const { run, isRunning } = useAct(operation, { ...act, onDone: done });

  async function send(condition: string | undefined): Promise<void> {
    const values = form.getValues();
    const input = toInput(values);
    const wrong = { ...wrongFields(t, operation, input, describeField), ...check?.(values) };
    setFailure(null);
    if (Object.keys(wrong).length > 0) {
      refuse(wrong);
      return;
    }
    try {
      await run(input, condition === undefined ? undefined : { ifMatch: condition });
    } catch (reason) {
      if (!(reason instanceof PanelCallError)) throw reason;
      const refused = refusedFields(t, reason, describeField);
      const isShown = Object.keys(refused).some((name) => name in values);
      if (isShown) refuse(refused);
      if (!isShown || reason.code !== 'validation') setFailure(reason);
    }
  }

  function refuse(texts: FieldTexts): void {
    form.setErrors(texts as never);
    const first = Object.keys(form.getValues()).find((name) => name in texts);
    // After the errors are drawn, so that a screen reader announces the first one.
    if (first !== undefined) requestAnimationFrame(() => form.getInputNode(first)?.focus());
  }

  return {
    form,
    failure,
    isBusy: isRunning,
    isDirty: form.isDirty(),
    submit(event) {
      event?.preventDefault();
      if (!isRunning) void send(ifMatch);
    },
    overwrite: () => void send(undefined),
  };
}
