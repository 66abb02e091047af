// The fields of a bulk action: a term, a grant, a plan, tags or connections.
import type { UseFormReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import type { BulkAction } from '../../../../../contract/users/user-acts.ts';
import { ConnectionsInput } from '../../../components/form/connections-input.tsx';
import type { FieldTexts } from '../../../components/form/field-errors.ts';
import { PlanField } from '../create/plan-field.tsx';
import { GrantFields } from '../grant-fields.tsx';
import { TermPicker } from '../record/term-picker.tsx';
import { TagsField } from '../tags-field.tsx';
import { usePlans } from '../use-plans.ts';
import type { BulkValues } from './run-bulk.ts';

interface BulkFieldsProps {
  readonly action: BulkAction;
  readonly fields: UseFormReturnType<BulkValues>;
  readonly wrong: FieldTexts;
}

export function BulkFields({ action, fields, wrong }: BulkFieldsProps) {
  const { t } = useTranslation('users');
  const plans = usePlans();
  const { term, lifetime, tariff_id, inbounds, from_inbounds } = fields.values;
  const inputProps = (field: keyof BulkValues & string) => ({ ...fields.getInputProps(field), error: wrong[field] });
  switch (action) {
    case 'extend':
      return (
        <TermPicker
          label={t('term.amount')}
          value={term}
          onChange={(value) => fields.setFieldValue('term', value)}
          error={wrong.days ?? wrong.months}
        />
      );
    case 'grant':
      return <GrantFields lifetime={lifetime} inputProps={inputProps} />;
    case 'set_tariff':
      return (
        <PlanField
          plans={plans}
          label={t('bulk.plan')}
          empty={t('bulk.choosePlan')}
          value={tariff_id}
          inputProps={inputProps('tariff_id')}
        />
      );
    case 'add_tags':
    case 'remove_tags':
      return <TagsField label={t('details.tags')} {...inputProps('tags')} />;
    case 'set_inbounds':
      return (
        <ConnectionsInput
          label={t('bulk.connections')}
          value={inbounds}
          onChange={(value) => fields.setFieldValue('inbounds', value)}
          error={wrong.inbounds}
        />
      );
    case 'move_inbounds':
      return (
        <>
          <ConnectionsInput
            label={t('bulk.moveFrom')}
            description={t('bulk.moveFromHint')}
            onlyChosen
            value={from_inbounds}
            onChange={(value) => fields.setFieldValue('from_inbounds', value ?? [])}
            error={wrong.from_inbounds}
          />
          <ConnectionsInput
            label={t('bulk.moveTo')}
            onlyChosen
            value={inbounds ?? []}
            onChange={(value) => fields.setFieldValue('inbounds', value)}
            error={wrong.inbounds}
          />
        </>
      );
    case 'reset':
    case 'disable':
    case 'enable':
    case 'delete':
      return null;
  }
}
