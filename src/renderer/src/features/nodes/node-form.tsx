// The form of a node: its name, its address and its settings.
import { SegmentedControl, Switch, Textarea, TextInput } from '@mantine/core';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { NODE_KINDS, type Node } from '../../../../contract/nodes/nodes.ts';
import { FormDrawer } from '../../components/form/form-drawer.tsx';
import { type OperationForm, useOperationForm } from '../../components/form/use-operation-form.ts';
import { WholeNumberInput } from '../../components/form/whole-number-input.tsx';
import { useAct } from '../../data/use-act.ts';
import { buildHash } from '../../router/route.ts';
import { navigate } from '../../router/router.ts';
import classes from './nodes.module.css';

type Values = Pick<Node, 'name' | 'kind' | 'enabled' | 'allows_private' | 'draining'> & {
  weight_percent: number | '';
  address: string;
  note: string;
};

interface NodeFormProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function NewNode({ isOpen, onClose }: NodeFormProps) {
  const { t } = useTranslation('nodes');
  const initial: Values = {
    name: '',
    kind: 'remote',
    address: '',
    enabled: true,
    allows_private: false,
    draining: false,
    weight_percent: 100,
    note: '',
  };
  const { form, ...rest } = useOperationForm({
    operation: 'createNode',
    initial,
    toInput: ({ allows_private, weight_percent, ...values }) => ({
      ...values,
      weight_percent: toPercent(weight_percent),
      address: values.address.trim(),
      ...(allows_private && { allows_private }),
    }),
    message: ({ name }) => ({ text: t('toast.created', { name }) }),
    // The next step is a connection, which the record offers.
    onDone: ({ id }) => navigate(buildHash(['nodes', id]), { replace: true }),
  });
  return (
    <FormDrawer isOpen={isOpen} onClose={onClose} title={t('create')} action={t('createAct')} form={rest}>
      <NodeFields form={form} canChooseKind />
    </FormDrawer>
  );
}

export function EditNode({ node, isOpen, onClose }: NodeFormProps & { readonly node: Node }) {
  const { t } = useTranslation(['nodes', 'common']);
  const { id, name, kind, address = '', enabled, allows_private, draining, weight_percent, note = '' } = node;
  const { run } = useAct('updateNode');
  const initial: Values = { name, kind, address, enabled, allows_private, draining, weight_percent, note };
  const { form, ...rest } = useOperationForm({
    operation: 'updateNode',
    initial,
    toInput: ({ kind: _kind, allows_private: isAllowed, address: typed, ...values }) => ({
      id,
      ...values,
      weight_percent: toPercent(values.weight_percent),
      // Sent only where they change, since they need a proof of identity.
      ...(typed.trim() !== address && { address: typed.trim() }),
      ...(isAllowed !== allows_private && { allows_private: isAllowed }),
    }),
    message: (saved) => ({
      text: t('nodes:toast.saved', { name: saved.name }),
      undo: () =>
        run({
          id,
          name,
          enabled,
          draining,
          weight_percent,
          note,
          ...(saved.address !== address && { address }),
          ...(saved.allows_private !== allows_private && { allows_private }),
        }),
    }),
    onDone: onClose,
  });
  return (
    <FormDrawer
      isOpen={isOpen}
      isOfList
      onClose={onClose}
      title={t('nodes:edit', { name })}
      action={t('common:save')}
      form={rest}
    >
      <NodeFields form={form} />
    </FormDrawer>
  );
}

/** An empty field is reported by the contract. */
function toPercent(value: Values['weight_percent']): number {
  return value === '' ? Number.NaN : value;
}

interface NodeFieldsProps {
  readonly form: OperationForm<Values>['form'];
  readonly canChooseKind?: boolean;
}

function NodeFields({ form, canChooseKind = false }: NodeFieldsProps) {
  const { t } = useTranslation('nodes');
  const labelId = useId();
  return (
    <>
      <TextInput
        label={t('fields.name')}
        description={t('fields.nameHint')}
        maxLength={100}
        data-autofocus
        {...form.getInputProps('name')}
      />
      {canChooseKind && (
        <div>
          <span id={labelId} className={classes.label}>
            {t('fields.kind')}
          </span>
          <SegmentedControl
            fullWidth
            aria-labelledby={labelId}
            data={NODE_KINDS.toReversed().map((value) => ({ value, label: t(`kind.${value}`) }))}
            value={form.values.kind}
            onChange={(kind) => form.setFieldValue('kind', kind)}
          />
          <p className={classes.hint}>{t(`kindHint.${form.values.kind}`)}</p>
        </div>
      )}
      <TextInput
        label={t('fields.address')}
        description={t('fields.addressHint')}
        placeholder="de1.example.com"
        spellCheck={false}
        autoCapitalize="none"
        maxLength={253}
        {...form.getInputProps('address')}
      />
      <Switch
        label={t('fields.enabled')}
        description={t('fields.enabledHint')}
        {...form.getInputProps('enabled', { type: 'checkbox' })}
      />
      {!canChooseKind && (
        <Switch
          label={t('fields.draining')}
          description={t('fields.drainingHint')}
          {...form.getInputProps('draining', { type: 'checkbox' })}
        />
      )}
      <Switch
        label={t('fields.allowsPrivate')}
        description={t('fields.allowsPrivateHint')}
        {...form.getInputProps('allows_private', { type: 'checkbox' })}
      />
      <WholeNumberInput
        label={t('fields.weight')}
        description={t('fields.weightHint')}
        suffix=" %"
        {...form.getInputProps('weight_percent')}
      />
      <Textarea
        label={t('fields.note')}
        description={t('fields.noteHint')}
        autosize
        minRows={2}
        maxRows={8}
        maxLength={2000}
        {...form.getInputProps('note')}
      />
    </>
  );
}
