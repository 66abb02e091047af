// A form whose operation asks for the password, and for a code where the second factor is on: both are typed with the change.
import { useTranslation } from 'react-i18next';
import type { OperationId } from '../../../../../contract/table.ts';
import {
  type OperationForm,
  type OperationFormOptions,
  useOperationForm,
} from '../../../components/form/use-operation-form.ts';
import { type CallInput, useOperation } from '../../../data/use-operation.ts';

interface Proof extends Record<string, unknown> {
  readonly password: string;
  readonly code: string;
}

/** The operations that ask who one is. */
type ProvenId = {
  [Id in OperationId]: CallInput<Id> extends { readonly password: string; code?: unknown } ? Id : never;
}[OperationId];

/** What the operation takes besides the proof. */
export type Unproven<Id extends OperationId> = Omit<CallInput<Id>, 'password' | 'code'>;

export interface ProvenFormOptions<Id extends ProvenId, Values extends Record<string, unknown>>
  extends Omit<OperationFormOptions<Id, Values>, 'toInput'> {
  toInput(values: Values): Unproven<Id>;
}

export type ProvenForm<Values extends Record<string, unknown> = Record<string, unknown>> = OperationForm<
  Values & Proof
>;

export function useProvenForm<Id extends ProvenId, Values extends Record<string, unknown>>(
  options: ProvenFormOptions<Id, Values>,
): ProvenForm<Values> {
  const { initial, toInput, check, onDone, ...rest } = options;
  const { t } = useTranslation('errors');
  const { data: state } = useOperation('panelState', {});
  const made: ProvenForm<Values> = useOperationForm<Id, Values & Proof>({
    ...rest,
    operation: options.operation,
    initial: { ...initial, password: '', code: '' },
    toInput(values) {
      const { password, code } = values;
      const proof = { password, ...(state?.two_factor && { code: code.trim() }) };
      return { ...toInput(values), ...proof } as unknown as CallInput<Id>;
    },
    check: (values) => ({
      ...(values.password === '' && { password: t('field.required') }),
      ...(state?.two_factor && values.code.trim() === '' && { code: t('field.required') }),
      ...check?.(values),
    }),
    onDone(output, input) {
      made.form.setValues({ password: '', code: '' } as unknown as Values & Proof);
      made.form.resetDirty({ ...made.form.getValues(), password: '', code: '' });
      onDone?.(output, input);
    },
  });
  return made;
}
