// The metadata of a user, which other programs set: names and texts, edited together.
import { ActionIcon, Button, Input, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { MAX_METADATA } from '../../../../../contract/scalars.ts';
import type { User, UserPatch } from '../../../../../contract/users/users.ts';
import { EditableFact } from './editable-fact.tsx';
import classes from './record.module.css';
import type { RecordProps } from './record-context.tsx';

interface Member {
  readonly key: string;
  readonly text: string;
}

export function MetadataFact({ user, refresh }: Pick<RecordProps, 'user' | 'refresh'>) {
  const { t } = useTranslation(['users', 'errors']);
  const members = listMembers(user.metadata);
  return (
    <EditableFact
      user={user}
      refresh={refresh}
      label={t('details.metadata')}
      shown={
        members.length === 0 ? (
          <span className={classes.quiet}>{t('details.empty')}</span>
        ) : (
          <dl className={classes.metadata}>
            {members.map(({ key, text }) => (
              <div key={key}>
                <dt>{key}</dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
        )
      }
      initial={() => ({ metadata: members.length === 0 ? [NEW_MEMBER] : members })}
      toPatch={({ metadata }) => ({ metadata: metadataPatch(user.metadata, metadata) })}
      check={({ metadata }) => (hasRepeated(metadata) ? { metadata: t('errors:field.repeated') } : {})}
      fields={(form) => <MetadataInput {...form.getInputProps('metadata')} value={form.getValues().metadata} />}
    />
  );
}

const NEW_MEMBER: Member = { key: '', text: '' };

interface MetadataInputProps {
  readonly value: readonly Member[];
  readonly onChange: (value: Member[]) => void;
  readonly error?: React.ReactNode;
}

function MetadataInput({ value, onChange, error }: MetadataInputProps) {
  const { t } = useTranslation('users');
  const replace = (index: number, change: Partial<Member>) =>
    onChange(value.map((member, at) => (at === index ? { ...member, ...change } : member)));
  return (
    <Input.Wrapper error={error} description={t('details.metadataHint')}>
      <div className={classes.members}>
        {value.map((member, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a member has no other identity while its name is typed
          <div key={index} className={classes.member}>
            <TextInput
              aria-label={t('details.metadataKey', { number: index + 1 })}
              placeholder={t('details.metadataKeyExample')}
              autoComplete="off"
              value={member.key}
              onChange={(event) => replace(index, { key: event.currentTarget.value })}
            />
            <TextInput
              aria-label={t('details.metadataText', { number: index + 1 })}
              autoComplete="off"
              value={member.text}
              onChange={(event) => replace(index, { text: event.currentTarget.value })}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size={32}
              aria-label={t('details.metadataRemove', { number: index + 1 })}
              onClick={() => onChange(value.filter((_member, at) => at !== index))}
            >
              <IconX size={16} stroke={1.5} />
            </ActionIcon>
          </div>
        ))}
        {value.length < MAX_METADATA && (
          <Button
            variant="subtle"
            size="xs"
            leftSection={<IconPlus size={14} stroke={1.5} />}
            onClick={() => onChange([...value, NEW_MEMBER])}
          >
            {t('details.metadataAdd')}
          </Button>
        )}
      </div>
    </Input.Wrapper>
  );
}

function listMembers(metadata: User['metadata']): Member[] {
  return Object.entries(metadata).map(([key, text]) => ({ key, text }));
}

/** Empty rows count as absent. */
function listFilled(members: readonly Member[]): readonly Member[] {
  return members.filter(({ key, text }) => key !== '' || text !== '');
}

function hasRepeated(members: readonly Member[]): boolean {
  const keys = listFilled(members).map(({ key }) => key);
  return new Set(keys).size < keys.length;
}

/** The merge patch that replaces the metadata by what was typed. */
function metadataPatch(before: User['metadata'], members: readonly Member[]): NonNullable<UserPatch['metadata']> {
  const after = Object.fromEntries(listFilled(members).map(({ key, text }) => [key, text]));
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  return { ...Object.fromEntries(removed.map((key) => [key, null])), ...after };
}
