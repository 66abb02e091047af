// The term: until when, extended with the resulting date in sight, or set to a date.
import { Button, Checkbox, TextInput } from '@mantine/core';
import { IconCalendarPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { RelativeTime } from '../../../components/figures.tsx';
import { DrawerSection, Facts } from '../../../components/record-drawer.tsx';
import { fromDateField, toDateField } from '../../../format/date-field.ts';
import { useFormat } from '../../../format/use-format.tsx';
import { EditableFact } from './editable-fact.tsx';
import { ExtendForm } from './extend-form.tsx';
import classes from './record.module.css';
import type { RecordProps } from './record-props.ts';

export function TermSection({ user, refresh, part, onPart }: RecordProps) {
  const { t } = useTranslation('users');
  const format = useFormat();
  const zone = format.timeZone;
  const { expires_at: at, hold } = user;
  const canExtend = at !== null || hold !== null;
  return (
    <DrawerSection
      title={t('term.title')}
      actions={
        canExtend &&
        part !== 'extend' && (
          <Button
            variant="subtle"
            className={classes.sectionAct ?? ''}
            leftSection={<IconCalendarPlus size={16} stroke={1.5} />}
            onClick={() => onPart('extend')}
          >
            {t('act.extend')}
          </Button>
        )
      }
    >
      {part === 'extend' && <ExtendForm user={user} onClose={() => onPart(null)} />}
      <Facts>
        <EditableFact
          user={user}
          refresh={refresh}
          label={t('term.expires')}
          canUndo={hold === null}
          shown={
            hold !== null ? (
              t('term.hold', { term: format.term(hold) })
            ) : at === null ? (
              t('term.never')
            ) : (
              <>
                {format.moment(at, 'dateTime')}{' '}
                <span className={classes.quiet}>
                  <RelativeTime at={at} />
                </span>
              </>
            )
          }
          initial={() => ({
            expires_at: at === null ? '' : toDateField(Date.parse(at), zone),
            never: at === null && !hold,
          })}
          toPatch={({ expires_at, never }) => ({ expires_at: never ? null : fromDateField(expires_at, zone) })}
          check={({ expires_at, never }): Record<string, string> =>
            !never && fromDateField(expires_at, zone) === null ? { expires_at: t('term.noDate') } : {}
          }
          fields={(form) => (
            <>
              <TextInput
                type="datetime-local"
                aria-label={t('term.dateLabel')}
                description={hold === null ? t('term.dateHint', { zone }) : t('term.holdHint')}
                max="2100-01-01T00:00"
                disabled={form.getValues().never}
                {...form.getInputProps('expires_at')}
              />
              <Checkbox label={t('term.never')} {...form.getInputProps('never', { type: 'checkbox' })} />
            </>
          )}
        />
      </Facts>
    </DrawerSection>
  );
}
