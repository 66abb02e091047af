// Grants of extra traffic: the rest of each, adding one, and revoking one.
import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { IconArrowBackUp, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Grant, GrantCreate } from '../../../../../contract/users/grants.ts';
import type { User } from '../../../../../contract/users/users.ts';
import { isGrantLive } from '../../../../../domain/users/account.ts';
import { Confirm } from '../../../components/confirm.tsx';
import { useOperationForm } from '../../../components/form/use-operation-form.ts';
import { ErrorState } from '../../../components/placeholder.tsx';
import { DrawerSection } from '../../../components/record-drawer.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { useAct } from '../../../data/use-act.ts';
import { useWholeList } from '../../../data/use-operation.ts';
import { useFormat } from '../../../format/use-format.tsx';
import { useNow } from '../../../format/use-now.ts';
import { GrantFields } from '../grant-fields.tsx';
import { type GrantValues, grantMembers, NEW_GRANT } from '../grant-values.ts';
import { InlineForm } from './inline-form.tsx';
import classes from './record.module.css';
import type { RecordProps } from './record-context.tsx';

export function GrantsSection({ user, part, onPart }: RecordProps) {
  const { t } = useTranslation('users');
  const format = useFormat();
  const now = useNow();
  const { id, name } = user;
  const grants = useWholeList('listGrants', { id });
  const deleteGrant = useAct('deleteGrant', { message: () => ({ text: t('toast.takenBack', { name }) }) });
  const [removing, setRemoving] = useState<Grant | null>(null);
  const [isWhole, setWhole] = useState(false);
  const all = grants.data?.items ?? [];
  const live = all.filter((grant) => isLive(grant, now));
  const endedCount = all.length - live.length;
  const shown = isWhole ? all : live;
  return (
    <DrawerSection
      title={t('grants.title')}
      actions={
        part !== 'grant' && (
          <Button
            variant="subtle"
            className={classes.sectionAct ?? ''}
            leftSection={<IconPlus size={16} stroke={1.5} />}
            onClick={() => onPart('grant')}
          >
            {t('grants.add')}
          </Button>
        )
      }
    >
      {part === 'grant' && <GrantForm user={user} onClose={() => onPart(null)} />}
      {grants.error !== null && grants.data === undefined ? (
        <ErrorState size="small" failure={grants.error} onRetry={() => void grants.refetch()} />
      ) : grants.data === undefined ? (
        <Skeleton width="60%" />
      ) : live.length === 0 && part !== 'grant' ? (
        <p className={classes.quiet}>{t('grants.none')}</p>
      ) : null}
      <ul className={classes.grants}>
        {shown.map((grant) => (
          <GrantLine key={grant.id} grant={grant} isLive={isLive(grant, now)} onTake={() => setRemoving(grant)} />
        ))}
      </ul>
      {endedCount > 0 && !isWhole && (
        <Button variant="subtle" color="gray" onClick={() => setWhole(true)}>
          {t('grants.all', { count: endedCount })}
        </Button>
      )}
      <Confirm
        isOpen={removing !== null}
        onClose={() => setRemoving(null)}
        title={t('grants.takeTitle', { amount: format.bytes(removing?.bytes ?? 0), name })}
        action={t('grants.take')}
        isDangerous
        onConfirm={() => deleteGrant.run({ id, grant_id: removing?.id ?? 0 })}
      >
        {t('grants.takeText', { left: format.bytes(removing?.bytes_left ?? 0) })}
      </Confirm>
    </DrawerSection>
  );
}

function isLive({ bytes_left, ends_at }: Grant, now: number): boolean {
  return isGrantLive({ bytesLeft: bytes_left, endsAt: ends_at === null ? null : Date.parse(ends_at) }, now);
}

interface GrantLineProps {
  readonly grant: Grant;
  readonly isLive: boolean;
  readonly onTake: () => void;
}

function GrantLine({ grant, isLive: isActive, onTake }: GrantLineProps) {
  const { t } = useTranslation('users');
  const format = useFormat();
  const { bytes, bytes_left: left, lifetime, ends_at: end, note, created_at } = grant;
  const until =
    end !== null
      ? isActive
        ? t('grants.until', { date: format.moment(end) })
        : t('grants.ended', { date: format.moment(end) })
      : isActive
        ? t(`grants.${lifetime}`).toLocaleLowerCase(format.locale)
        : t('grants.over');
  return (
    <li className={classes.grant} data-over={!isActive || undefined}>
      <span className={classes.grantText}>
        <span className="figures">{t('grants.left', { left: format.bytes(left), whole: format.bytes(bytes) })}</span>
        <span className={classes.quiet}>
          {until} · {format.moment(created_at)}
          {note !== '' && ` · ${note}`}
        </span>
      </span>
      {isActive && (
        <Tooltip label={t('grants.take')}>
          <ActionIcon variant="subtle" color="gray" aria-label={t('grants.take')} onClick={onTake}>
            <IconArrowBackUp size={16} stroke={1.5} />
          </ActionIcon>
        </Tooltip>
      )}
    </li>
  );
}

// Adds a grant.

interface Values extends Record<string, unknown>, GrantValues {}

function GrantForm({ user: { id, name }, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const { t } = useTranslation(['users', 'common']);
  const format = useFormat();
  const operation = useOperationForm<'createGrant', Values>({
    operation: 'createGrant',
    initial: { ...NEW_GRANT },
    // An empty amount is reported as missing at its field.
    toInput: (values) => ({ id, ...(grantMembers(values) as GrantCreate) }),
    message: ({ bytes }) => ({ text: t('users:toast.granted', { name, amount: format.bytes(bytes) }) }),
    onDone: onClose,
  });
  const { form } = operation;
  return (
    <InlineForm
      label={t('users:grants.add')}
      submitLabel={t('users:grants.add')}
      operation={operation}
      onClose={onClose}
    >
      <GrantFields lifetime={form.getValues().lifetime} inputProps={(field) => form.getInputProps(field)} />
    </InlineForm>
  );
}
