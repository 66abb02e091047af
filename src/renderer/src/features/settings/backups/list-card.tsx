// The backups that there are, newest first: taken away, checked and restored, deleted.
import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { IconArchive, IconDownload, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Backup } from '../../../../../contract/backups.ts';
import { Confirm } from '../../../components/confirm.tsx';
import { Bytes, DateTime } from '../../../components/figures.tsx';
import { SectionCard } from '../../../components/page.tsx';
import { EmptyState } from '../../../components/placeholder.tsx';
import { Mark } from '../../../components/state.tsx';
import { useAct } from '../../../data/use-act.ts';
import { hashOf } from '../../../router/route.ts';
import rows from '../parts/rows.module.css';
import { downloadUrl } from './backup-files.ts';
import { UploadButton } from './upload-button.tsx';

interface ListCardProps {
  readonly backups: readonly Backup[];
  readonly folder: string;
}

export function ListCard({ backups, folder }: ListCardProps) {
  const { t } = useTranslation('settings');
  const [chosen, setChosen] = useState<Backup | null>(null);
  const { run } = useAct('deleteBackup', { message: () => ({ text: t('backups.list.deleted') }) });
  return (
    <SectionCard
      title={t('backups.list.title')}
      description={t('backups.list.folder', { folder })}
      actions={<UploadButton />}
      flush
    >
      {backups.length === 0 ? (
        <EmptyState
          size="small"
          icon={<IconArchive size={20} stroke={1.5} />}
          title={t('backups.list.none')}
          text={t('backups.list.noneText')}
        />
      ) : (
        <ul className={rows.rows}>
          {backups.map((backup) => (
            <BackupRow key={backup.name} backup={backup} onDelete={() => setChosen(backup)} />
          ))}
        </ul>
      )}
      <Confirm
        isOpen={chosen !== null}
        onClose={() => setChosen(null)}
        title={t('backups.list.deleteTitle')}
        action={t('backups.list.delete')}
        isDangerous
        onConfirm={async () => {
          if (chosen !== null) await run({ name: chosen.name });
        }}
      >
        <p>{t('backups.list.deleteText')}</p>
        <p>
          <code>{chosen?.name}</code>
        </p>
      </Confirm>
    </SectionCard>
  );
}

interface BackupRowProps {
  readonly backup: Backup;
  readonly onDelete: () => void;
}

function BackupRow({ backup, onDelete }: BackupRowProps) {
  const { t } = useTranslation('settings');
  const { name, kind, created_at, size_bytes, encrypted, secrets } = backup;
  return (
    <li className={rows.row}>
      <div className={rows.rowMain}>
        <span className={rows.rowName}>
          <DateTime at={created_at} style="dateTime" />
          {encrypted && <Mark tone="ok">{t('backups.encrypted')}</Mark>}
        </span>
        <span className={rows.rowFacts}>
          <span>{t(`backups.kind.${kind}`)}</span>
          <Bytes value={size_bytes} />
          {secrets !== null && <span>{t(`backups.secrets.${secrets}`)}</span>}
          <code>{name}</code>
        </span>
      </div>
      <div className={rows.rowActs}>
        <Button
          component="a"
          variant="default"
          href={hashOf(['settings', 'backups', name])}
          aria-label={t('backups.list.restoreOf', { name })}
        >
          {t('backups.list.restore')}
        </Button>
        <Tooltip label={t('backups.list.download')}>
          <ActionIcon
            component="a"
            href={downloadUrl(name)}
            download={name}
            variant="subtle"
            color="gray"
            size={32}
            aria-label={t('backups.list.downloadOf', { name })}
          >
            <IconDownload size={16} stroke={1.5} />
          </ActionIcon>
        </Tooltip>
        <Tooltip label={t('backups.list.delete')}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={32}
            aria-label={t('backups.list.deleteOf', { name })}
            onClick={onDelete}
          >
            <IconTrash size={16} stroke={1.5} />
          </ActionIcon>
        </Tooltip>
      </div>
    </li>
  );
}
