// The record of a user: state and reason, the action that helps most, and every value with an editor in its place.
import { ActionIcon, Button } from '@mantine/core';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PanelCallError } from '../../../../../contract/client.ts';
import type { User } from '../../../../../contract/users/users.ts';
import { useShortcuts } from '../../../components/acts/keys.ts';
import { EmptyState, ErrorState } from '../../../components/placeholder.tsx';
import { RecordDrawer } from '../../../components/record-drawer.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { useOperation } from '../../../data/use-operation.ts';
import { useRoute } from '../../../router/router.ts';
import type { Neighbours } from '../use-neighbours.ts';
import type { Plans } from '../use-plans.ts';
import { AccessSection } from './access-section.tsx';
import { AddressesSection } from './addresses-section.tsx';
import { ConnectionsSection } from './connections-section.tsx';
import { DetailsSection } from './details-section.tsx';
import { DiagnosisSection } from './diagnosis-section.tsx';
import { GrantsSection } from './grants-section.tsx';
import { HistorySection } from './history-section.tsx';
import { LinkSection } from './link-section.tsx';
import { PaymentsSection } from './payments-section.tsx';
import classes from './record.module.css';
import { EditingProvider, type OpenPart, type RecordProps } from './record-context.tsx';
import { Status } from './status.tsx';
import { TermSection } from './term-section.tsx';
import { TrafficSection } from './traffic-section.tsx';
import { UserMenu } from './user-menu.tsx';

const EVERY_MS = 20_000;

interface UserDrawerProps {
  /** null: closed. */
  readonly id: number | null;
  /** The address contains no valid id. */
  readonly isUnknown: boolean;
  readonly plans: Plans;
  /** The users before and after this one in the list. */
  readonly neighbours: Neighbours;
  readonly onGo: (user: User) => void;
  readonly onClose: () => void;
  /** It fills a window of its own, without a list. */
  readonly isWindow?: boolean;
}

export function UserDrawer({ id, isUnknown, plans, neighbours, onGo, onClose, isWindow = false }: UserDrawerProps) {
  const { t } = useTranslation('users');
  const requestedAct = useRoute().query.get('do');
  // While it slides out, it still shows the last user.
  const last = useRef(id);
  if (id !== null) last.current = id;
  const shown = id ?? last.current;
  const user = useOperation(
    'getUser',
    { id: shown ?? 0 },
    { enabled: shown !== null && id !== null, pollMs: EVERY_MS },
  );
  const [part, setPart] = useState<OpenPart>(null);
  useEffect(() => {
    setPart(
      id !== null && (requestedAct === 'extend' || requestedAct === 'shorten' || requestedAct === 'grant')
        ? requestedAct
        : null,
    );
  }, [id, requestedAct]);
  const isGone = isUnknown || user.error?.code === 'not_found';
  return (
    <EditingProvider>
      {({ isOn: isEditing, ask }) => (
        <RecordDrawer
          isOpen={id !== null || isUnknown}
          onClose={() => (isEditing ? ask(onClose) : onClose())}
          canClose={!isEditing}
          isOfList
          isWindow={isWindow}
          title={isGone ? t('record.gone') : (user.data?.name ?? t('record.loading'))}
          {...(user.data && !isGone && { subtitle: <Subtitle id={user.data.id} contact={user.data.contact} /> })}
          actions={
            <>
              <Steps neighbours={neighbours} onGo={onGo} isOn={id !== null && !isEditing} />
              {user.data && !isGone && <UserMenu user={user.data} onPart={setPart} onDeleted={onClose} />}
            </>
          }
        >
          {isGone ? (
            <Gone back={t(isWindow ? 'record.closeWindow' : 'record.back')} onClose={onClose} />
          ) : user.data === undefined ? (
            <Waiting failure={user.error} onRetry={() => void user.refetch()} />
          ) : (
            <UserRecord
              key={user.data.id}
              user={user.data}
              refresh={user.refetch}
              plans={plans}
              part={part}
              onPart={setPart}
            />
          )}
        </RecordDrawer>
      )}
    </EditingProvider>
  );
}

interface StepsProps {
  readonly neighbours: Neighbours;
  readonly onGo: (user: User) => void;
  /** false while something is being edited, which would be lost. */
  readonly isOn: boolean;
}

/** Navigates to the previous or next record, by buttons or by the list's keys. */
function Steps({ neighbours: { previous, next }, onGo, isOn }: StepsProps) {
  const { t } = useTranslation('users');
  const to = (user: User | undefined) => user && isOn && onGo(user);
  useShortcuts(
    [
      { keys: 'j', label: t('record.next'), run: () => to(next) },
      { keys: 'k', label: t('record.previous'), run: () => to(previous) },
    ],
    { isOn, inDialog: true },
  );
  if (previous === undefined && next === undefined) return null;
  return (
    <>
      <Step label={t('record.previous')} keys="K" isOn={isOn && previous !== undefined} onClick={() => to(previous)}>
        <IconChevronUp size={18} stroke={1.5} />
      </Step>
      <Step label={t('record.next')} keys="J" isOn={isOn && next !== undefined} onClick={() => to(next)}>
        <IconChevronDown size={18} stroke={1.5} />
      </Step>
    </>
  );
}

interface StepProps {
  readonly label: string;
  readonly keys: string;
  readonly isOn: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

/** At the end of the list the button stays, as it may have the focus. */
function Step({ label, keys, isOn, onClick, children }: StepProps) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={label}
      title={`${label} (${keys})`}
      aria-keyshortcuts={keys}
      aria-disabled={!isOn}
      onClick={onClick}
      {...(!isOn && { 'data-disabled': true })}
    >
      {children}
    </ActionIcon>
  );
}

function Subtitle({ id, contact }: { readonly id: number; readonly contact: string }) {
  const { t } = useTranslation('users');
  return (
    <>
      {contact !== '' && <span className={classes.contact}>{contact}</span>}
      <span className="figures">{t('record.id', { id })}</span>
    </>
  );
}

function Gone({ back, onClose }: { readonly back: string; readonly onClose: () => void }) {
  const { t } = useTranslation('users');
  return (
    <EmptyState
      title={t('record.gone')}
      text={t('record.goneHint')}
      action={
        <Button variant="default" onClick={onClose}>
          {back}
        </Button>
      }
    />
  );
}

const SKELETON_WIDTHS = ['40%', '90%', '70%', '100%', '55%', '80%'];

function Waiting({ failure, onRetry }: { readonly failure: PanelCallError | null; readonly onRetry: () => void }) {
  if (failure !== null) return <ErrorState failure={failure} onRetry={onRetry} />;
  return (
    <div className={classes.waiting} aria-busy>
      {SKELETON_WIDTHS.map((width, index) => (
        <Skeleton key={width} width={width} height={index === 0 ? 28 : 14} />
      ))}
    </div>
  );
}

// The sections of the record, the most used ones first.

function UserRecord(props: RecordProps) {
  const { user, plans } = props;
  return (
    <>
      <Status {...props} />
      <DiagnosisSection {...props} />
      <LinkSection user={user} isAsked={useRoute().query.get('do') === 'link'} />
      <TermSection {...props} />
      <TrafficSection {...props} />
      <GrantsSection {...props} />
      <PaymentsSection {...props} />
      <AddressesSection user={user} />
      <AccessSection {...props} />
      <ConnectionsSection user={user} />
      <DetailsSection {...props} />
      <HistorySection user={user} plans={plans} />
    </>
  );
}
