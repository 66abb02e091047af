// The columns of the audit log.
import {
  IconBrandTelegram,
  IconDeviceDesktop,
  IconKey,
  IconServerCog,
  IconTerminal2,
  IconUserShield,
  type TablerIcon,
} from '@tabler/icons-react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { AuditActorKind, AuditEntry } from '../../../../contract/access/audit.ts';
import { RelativeTime } from '../../components/figures.tsx';
import { Mark } from '../../components/state.tsx';
import { createColumns } from '../../components/table/columns.ts';
import classes from './audit.module.css';

import { TargetLink } from './target-link.tsx';
import type { EntryTexts } from './use-entry-texts.ts';

const column = createColumns<AuditEntry>();
const SHORT_ID = 8;

const ACTOR_ICONS: Readonly<Record<AuditActorKind, TablerIcon>> = {
  administrator: IconUserShield,
  key: IconKey,
  cli: IconTerminal2,
  bot: IconBrandTelegram,
  panel: IconServerCog,
  unknown: IconDeviceDesktop,
};

export function useAuditColumns(texts: EntryTexts, buildHref: (entry: AuditEntry) => string) {
  const { t } = useTranslation('audit');
  return useMemo(
    () =>
      column.columns([
        column.accessor('at', {
          meta: { label: t('columns.when'), width: 124 },
          cell: ({ getValue }) => <RelativeTime at={getValue()} />,
        }),
        column.accessor('action', {
          meta: { label: t('columns.what'), isFixed: true },
          cell: ({ row: { original: entry } }) => {
            const gist = texts.formatSummary(entry);
            return (
              <span className={classes.what}>
                <a className={classes.action} href={buildHref(entry)}>
                  {texts.formatTitle(entry)}
                </a>
                {entry.outcome === 'refused' && <Mark tone="bad">{t('refused')}</Mark>}
                {gist !== '' && <span className={classes.gist}>{gist}</span>}
              </span>
            );
          },
        }),
        column.accessor('target', {
          meta: { label: t('columns.whom'), width: 256, hideBelow: 640 },
          cell: ({ row: { original } }) => <TargetLink entry={original} texts={texts} />,
        }),
        column.accessor('actor', {
          meta: { label: t('columns.who'), width: 150, hideBelow: 480 },
          cell: ({ row: { original } }) => <Actor actor={original.actor} texts={texts} />,
        }),
        column.accessor('address', {
          meta: { label: t('columns.where'), width: 128, hideBelow: 860 },
          cell: ({ getValue }) => <span className={classes.quiet}>{getValue() ?? '—'}</span>,
        }),
        column.accessor('request_id', {
          meta: { label: t('columns.request'), width: 92, hideBelow: 860 },
          cell: ({ getValue }) => (
            <code className={classes.quiet} title={getValue()}>
              {getValue().slice(0, SHORT_ID)}
            </code>
          ),
        }),
      ]),
    [t, texts, buildHref],
  );
}

interface ActorProps {
  readonly actor: AuditEntry['actor'];
  readonly texts: EntryTexts;
}

/** Who acted, with an icon for the kind: a key may have the administrator's name. */
export function Actor({ actor, texts }: ActorProps) {
  const { t } = useTranslation('audit');
  const Icon = ACTOR_ICONS[actor.kind];
  return (
    <span className={classes.actor} title={t(`actor.${actor.kind}`)}>
      <Icon size={16} stroke={1.5} aria-hidden />
      <span className={classes.actorName}>{texts.formatActor(actor)}</span>
    </span>
  );
}
