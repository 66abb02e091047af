// The administrator's sessions with device, address and time, and how to end them.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../../../../contract/table.ts';
import { Confirm } from '../../../components/confirm.tsx';
import { When } from '../../../components/figures.tsx';
import { SectionCard } from '../../../components/page.tsx';
import { Mark } from '../../../components/state.tsx';
import { useAct } from '../../../data/use-act.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { Reading } from '../parts/parts.tsx';
import rows from '../parts/rows.module.css';

type Session = Output<'listSessions'>['items'][number];

export function SessionsCard() {
  const { t } = useTranslation('settings');
  // There is no event for a sign-in elsewhere, so poll.
  const sessions = useOperation('listSessions', {}, { pollMs: 30_000 });
  return (
    <Reading title={t('security.sessions.title')} query={sessions} height={96}>
      {({ items }) => <Sessions sessions={items} />}
    </Reading>
  );
}

function Sessions({ sessions }: { readonly sessions: readonly Session[] }) {
  const { t } = useTranslation('settings');
  const [isAsking, setAsking] = useState(false);
  const { run } = useAct('endOtherSessions', {
    message: ({ ended }) => ({ text: t('security.sessions.othersEnded', { count: ended }) }),
  });
  const others = sessions.filter(({ current }) => !current);
  return (
    <SectionCard
      title={t('security.sessions.title')}
      description={t('security.sessions.description')}
      actions={
        others.length > 0 ? (
          <Button variant="default" onClick={() => setAsking(true)}>
            {t('security.sessions.endOthers')}
          </Button>
        ) : undefined
      }
      flush
    >
      <ul className={rows.rows}>
        {[...sessions.filter(({ current }) => current), ...others].map((session) => (
          <SessionRow key={session.id} session={session} />
        ))}
      </ul>
      <Confirm
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={t('security.sessions.endOthersTitle')}
        action={t('security.sessions.endOthers')}
        isDangerous
        onConfirm={() => run({})}
      >
        <p>{t('security.sessions.endOthersText')}</p>
      </Confirm>
    </SectionCard>
  );
}

function SessionRow({ session }: { readonly session: Session }) {
  const { t } = useTranslation('settings');
  const { id, current, address, created_at, last_seen_at, ends_at } = session;
  const device = session.device || t('security.sessions.unknownDevice');
  const { start, isRunning } = useAct('endSession', {
    message: () => ({ text: t('security.sessions.ended', { device }) }),
  });
  return (
    <li className={rows.row}>
      <div className={rows.rowMain}>
        <span className={rows.rowName}>
          {device}
          {current && <Mark tone="ok">{t('security.sessions.current')}</Mark>}
        </span>
        <span className={rows.rowFacts}>
          <code>{address}</code>
          <When at={last_seen_at} text={(when) => t('security.sessions.seen', { when })} />
          <When at={created_at} style="dateTime" text={(when) => t('security.sessions.since', { when })} />
          <When at={ends_at} text={(when) => t('security.sessions.ends', { when })} />
        </span>
      </div>
      {!current && (
        <div className={rows.rowActs}>
          <Button
            variant="default"
            loading={isRunning}
            aria-label={t('security.sessions.endOf', { device })}
            onClick={() => start({ id })}
          >
            {t('security.sessions.end')}
          </Button>
        </div>
      )}
    </li>
  );
}
