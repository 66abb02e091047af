// Identity: name, contact, tags, note, and ids and data of other systems.
import { Textarea, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { DateTime } from '../../../components/figures.tsx';
import { WholeNumberInput } from '../../../components/form/whole-number-input.tsx';
import { DrawerSection, Fact, Facts } from '../../../components/record-drawer.tsx';
import { Mark } from '../../../components/state.tsx';
import { showHidden } from '../../../format/show-hidden.ts';
import { TagsField } from '../tags-field.tsx';
import { EditableFact } from './editable-fact.tsx';
import { MetadataFact } from './metadata-fact.tsx';
import classes from './record.module.css';
import type { RecordProps } from './record-context.tsx';

export function DetailsSection({ user, refresh }: RecordProps) {
  const { t } = useTranslation('users');
  const empty = <span className={classes.quiet}>{t('details.empty')}</span>;
  return (
    <DrawerSection title={t('details.title')}>
      <Facts>
        <EditableFact
          user={user}
          refresh={refresh}
          label={t('details.name')}
          shown={<span className={classes.plain}>{showHidden(user.name)}</span>}
          initial={() => ({ name: user.name })}
          toPatch={({ name }) => ({ name })}
          fields={(form) => (
            <TextInput aria-label={t('details.name')} autoComplete="off" {...form.getInputProps('name')} />
          )}
        />
        <EditableFact
          user={user}
          refresh={refresh}
          label={t('details.contact')}
          shown={user.contact === '' ? empty : <span className={classes.plain}>{user.contact}</span>}
          initial={() => ({ contact: user.contact })}
          toPatch={({ contact }) => ({ contact })}
          fields={(form) => (
            <TextInput aria-label={t('details.contact')} autoComplete="off" {...form.getInputProps('contact')} />
          )}
        />
        <EditableFact
          user={user}
          refresh={refresh}
          label={t('details.tags')}
          shown={
            user.tags.length === 0 ? (
              empty
            ) : (
              <span className={classes.tags}>
                {user.tags.map((tag) => (
                  <Mark key={tag}>{tag}</Mark>
                ))}
              </span>
            )
          }
          initial={() => ({ tags: user.tags })}
          toPatch={({ tags }) => ({ tags })}
          fields={(form) => <TagsField aria-label={t('details.tags')} {...form.getInputProps('tags')} />}
        />
        <EditableFact
          user={user}
          refresh={refresh}
          label={t('details.note')}
          shown={user.note === '' ? empty : <span className={classes.note}>{user.note}</span>}
          initial={() => ({ note: user.note })}
          toPatch={({ note }) => ({ note })}
          fields={(form) => (
            <Textarea
              aria-label={t('details.note')}
              autosize
              minRows={2}
              maxRows={12}
              {...form.getInputProps('note')}
            />
          )}
        />
        <EditableFact
          user={user}
          refresh={refresh}
          label={t('details.externalId')}
          shown={user.external_id === null ? empty : <span className={classes.plain}>{user.external_id}</span>}
          initial={() => ({ external_id: user.external_id ?? '' })}
          toPatch={({ external_id }) => ({ external_id: external_id === '' ? null : external_id })}
          fields={(form) => (
            <TextInput
              aria-label={t('details.externalId')}
              description={t('details.externalIdHint')}
              autoComplete="off"
              {...form.getInputProps('external_id')}
            />
          )}
        />
        <EditableFact
          user={user}
          refresh={refresh}
          label={t('details.telegramId')}
          shown={user.telegram_id ?? empty}
          initial={(): { telegram_id: number | string } => ({ telegram_id: user.telegram_id ?? '' })}
          toPatch={({ telegram_id }) => ({ telegram_id: telegram_id === '' ? null : Number(telegram_id) })}
          fields={(form) => (
            <WholeNumberInput
              aria-label={t('details.telegramId')}
              description={t('details.telegramIdHint')}
              min={1}
              {...form.getInputProps('telegram_id')}
            />
          )}
        />
        <MetadataFact user={user} refresh={refresh} />
        <Fact label={t('details.created')}>
          <DateTime at={user.created_at} style="dateTime" />
        </Fact>
        {user.updated_at !== user.created_at && (
          <Fact label={t('details.changed')}>
            <DateTime at={user.updated_at} style="dateTime" />
          </Fact>
        )}
      </Facts>
    </DrawerSection>
  );
}
