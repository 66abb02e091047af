// The tags of users, with known tags as suggestions.
import { TagsInput, type TagsInputProps } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { MAX_TAGS } from '../../../../contract/scalars.ts';
import { knownTags } from './user-reads.ts';

const MAX_LENGTH = 32;
const MAX_SUGGESTIONS = 8;

/** Needs a label, visible or not, and the form's `getInputProps('tags')`. */
export function TagsField(props: TagsInputProps) {
  const { t } = useTranslation('users');
  const queries = useQueryClient();
  return (
    <TagsInput
      description={t('details.tagsHint')}
      data={knownTags(queries)}
      limit={MAX_SUGGESTIONS}
      maxTags={MAX_TAGS}
      maxLength={MAX_LENGTH}
      comboboxProps={{ shadow: 'none' }}
      {...props}
    />
  );
}
