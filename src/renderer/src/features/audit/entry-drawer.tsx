// One audit entry with all its details.
import { useTranslation } from 'react-i18next';
import type { AuditEntry } from '../../../../contract/access/audit.ts';
import { DAY_MS } from '../../../../domain/limits.ts';
import { UndoActs } from '../../components/acts/undo-acts.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { RelativeTime } from '../../components/figures.tsx';
import { EmptyState } from '../../components/placeholder.tsx';
import { DrawerSection, Fact, Facts, RecordDrawer } from '../../components/record-drawer.tsx';
import { Mark } from '../../components/state.tsx';
import { useOpening } from '../../components/use-opening.ts';
import { useOperation } from '../../data/use-operation.ts';
import { useFormat } from '../../format/use-format.tsx';
import { buildHash } from '../../router/route.ts';
import classes from './audit.module.css';
import { Actor } from './audit-columns.tsx';
import { EntryUsers, isOnMany } from './entry-users.tsx';
import { TargetLink } from './target-link.tsx';
import type { EntryTexts } from './use-entry-texts.ts';

interface EntryDrawerProps {
  /** null: closed. */
  readonly id: number | null;
  /** The loaded entries. */
  readonly items: readonly AuditEntry[];
  readonly texts: EntryTexts;
  readonly onClose: () => void;
}

export function EntryDrawer({ id, items, texts, onClose }: EntryDrawerProps) {
  const { t } = useTranslation('audit');
  const { shown } = useOpening(id);
  const here = items.find((entry) => entry.id === shown);
  // Entries never change. There is no operation for one entry, so it is read as the first one before the next id.
  const read = useOperation(
    'listAudit',
    { before: (shown ?? 0) + 1, limit: 1 },
    { enabled: shown !== null && here === undefined, staleMs: DAY_MS },
  );
  const found = here ?? read.data?.items.find((entry) => entry.id === shown);
  return (
    <RecordDrawer
      isOpen={id !== null}
      isOfList
      onClose={onClose}
      title={found === undefined ? t('entry', { id: shown ?? 0 }) : texts.formatTitle(found)}
      width={560}
      {...(found?.outcome === 'refused' && { subtitle: <Mark tone="bad">{t('refused')}</Mark> })}
    >
      {found !== undefined ? (
        <Entry key={found.id} entry={found} texts={texts} />
      ) : (
        !read.isPending && <EmptyState title={t('gone')} text={t('goneHint')} />
      )}
    </RecordDrawer>
  );
}

/** Actions that can be undone for some minutes. */
const UNDOABLE: ReadonlySet<string> = new Set(['bulkUsers', 'extendUser', 'shortenUser', 'resetUserTraffic']);

function Entry({ entry, texts }: { readonly entry: AuditEntry; readonly texts: EntryTexts }) {
  const { t } = useTranslation(['audit', 'common']);
  const format = useFormat();
  const { id, at, actor, action, target, detail, address, request_id } = entry;
  const who = actor.kind === 'key' && actor.id !== null ? `key:${actor.id}` : actor.kind;
  const details = Object.entries(detail);
  return (
    <>
      <DrawerSection>
        <Facts>
          <Fact label={t('audit:columns.when')}>
            {format.moment(at, 'exact')}{' '}
            <span className={classes.quiet}>
              <RelativeTime at={at} />
            </span>
          </Fact>
          <Fact label={t('audit:columns.who')}>
            <Actor actor={actor} texts={texts} />
          </Fact>
          <Fact label={t('audit:columns.whom')}>
            <TargetLink entry={entry} texts={texts} />
          </Fact>
          <Fact label={t('audit:columns.where')}>{address ?? t('audit:here')}</Fact>
          <Fact label={t('audit:columns.operation')}>
            <code>{action}</code>
          </Fact>
          <Fact label={t('audit:columns.request')}>
            <span className={classes.request}>
              <code>{request_id}</code>
              <CopyButton value={request_id} label={t('audit:copyRequest')} />
            </span>
          </Fact>
        </Facts>
      </DrawerSection>
      {UNDOABLE.has(action) && <UndoActs entry={id} />}
      {details.length > 0 && (
        <DrawerSection title={t('audit:details')}>
          <Facts>
            {details.map(([name, value]) => (
              <Fact key={name} label={name}>
                <Value value={value} />
              </Fact>
            ))}
          </Facts>
        </DrawerSection>
      )}
      {isOnMany(action) && <EntryUsers id={id} texts={texts} />}
      <DrawerSection title={t('audit:more')}>
        <ul className={classes.links}>
          {target !== null && (
            <li>
              <a href={buildHash(['audit'], { target })}>{t('audit:sameTarget')}</a>
            </li>
          )}
          <li>
            <a href={buildHash(['audit'], { actor: who })}>
              {t('audit:sameActor', { name: texts.formatActor(actor) })}
            </a>
          </li>
          <li>
            <a href={buildHash(['audit'], { action })}>{t('audit:sameAction')}</a>
          </li>
        </ul>
      </DrawerSection>
    </>
  );
}

/** A value of the request: texts unchanged, others as JSON. */
function Value({ value }: { readonly value: unknown }) {
  const { t } = useTranslation('common');
  if (value === null) return <span className={classes.quiet}>{t('none')}</span>;
  if (typeof value === 'boolean') return <span>{value ? t('yes') : t('no')}</span>;
  return typeof value === 'string' ? (
    <span className={classes.text}>{value}</span>
  ) : (
    <code>{JSON.stringify(value)}</code>
  );
}
