// The backups at a place, read from it when its form is opened.
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { BackupPlaceView } from '../../../../../contract/backup-places.ts';
import type { PanelCallError } from '../../../../../contract/client.ts';
import type { Output } from '../../../../../contract/table.ts';
import { useFailureText } from '../../../components/failure.ts';
import { Bytes, DateTime } from '../../../components/figures.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { Mark } from '../../../components/state.tsx';
import { useAct } from '../../../data/use-act.ts';
import { CopyLine, Notice } from '../parts/parts.tsx';
import classes from './places.module.css';

interface PlacedBackupsProps {
  readonly place: Pick<BackupPlaceView, 'id' | 'name' | 'last_at'>;
}

export function PlacedBackups({ place: { id, name, last_at } }: PlacedBackupsProps) {
  const { t } = useTranslation('settings');
  const describeFailure = useFailureText();
  const [found, setFound] = useState<Output<'listPlacedBackups'>['items'] | null>(null);
  const [failure, setFailure] = useState<PanelCallError | null>(null);
  const { start } = useAct('listPlacedBackups', {
    onDone: ({ items }) => {
      setFailure(null);
      setFound(items);
    },
    onFailure: setFailure,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, and again when there is another one.
  useEffect(() => start({ id }), [id, last_at]);
  return (
    <section className={classes.there} aria-labelledby="placed-backups">
      <h3 id="placed-backups" className={classes.thereTitle}>
        {t('backups.places.there')}
      </h3>
      {failure !== null ? (
        <Notice tone="bad">{t('backups.places.thereFailed', { reason: describeFailure(failure).text })}</Notice>
      ) : found === null ? (
        <Skeleton height={64} />
      ) : found.length === 0 ? (
        <p className={classes.quiet}>{t('backups.places.thereNone')}</p>
      ) : (
        <>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must be able to scroll what is higher than its box. */}
          <ul className={classes.thereRows} tabIndex={0} aria-labelledby="placed-backups">
            {found.map(({ name: file, size_bytes, stored_at, own }) => (
              <li key={file} className={classes.thereRow}>
                <DateTime at={stored_at} style="dateTime" />
                <Bytes value={size_bytes} />
                {!own && <Mark tone="info">{t('backups.places.foreign')}</Mark>}
                <code>{file}</code>
              </li>
            ))}
          </ul>
          <p className={classes.quiet}>{t('backups.places.restoreHint')}</p>
          <CopyLine value={`npx panel restore latest --from "${name}"`} label={t('backups.places.restoreHint')} />
        </>
      )}
    </section>
  );
}
