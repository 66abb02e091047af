// Fields of an audience: users with some plans or tags.
import { MultiSelect, TagsInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useWholeList } from '../../data/use-operation.ts';
import { FieldRow } from './form-drawer.tsx';

export interface AudienceValues {
  readonly tariffs: string[];
  readonly tags: string[];
}

interface AudienceFieldsProps {
  readonly value: AudienceValues;
  readonly hints: { readonly tariffs: string; readonly tags: string };
  readonly errors: { readonly tariffs: ReactNode; readonly tags: ReactNode };
  readonly onChange: (change: Partial<AudienceValues>) => void;
}

export function AudienceFields({ value: { tariffs, tags }, hints, errors, onChange }: AudienceFieldsProps) {
  const { t } = useTranslation('common');
  const plans = useWholeList('listTariffs', {}).data?.items ?? [];
  const known = new Set(plans.map(({ id }) => String(id)));
  return (
    <FieldRow>
      <MultiSelect
        label={t('audience.tariffs')}
        description={hints.tariffs}
        data={[
          ...plans.map(({ id, name }) => ({ value: String(id), label: name })),
          // Plans that have since been deleted can still be removed.
          ...tariffs.filter((id) => !known.has(id)).map((id) => ({ value: id, label: `#${id}` })),
        ]}
        searchable
        clearable
        comboboxProps={{ shadow: 'none' }}
        error={errors.tariffs}
        value={tariffs}
        onChange={(next) => onChange({ tariffs: next })}
      />
      <TagsInput
        label={t('audience.tags')}
        description={hints.tags}
        maxLength={32}
        clearable
        error={errors.tags}
        value={tags}
        onChange={(next) => onChange({ tags: next })}
      />
    </FieldRow>
  );
}
