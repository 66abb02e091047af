// The list of backups, newest first, and the actions on each.
import { ActionIcon, Button, FileButton, Tooltip } from '@mantine/core';
import { IconArchive, IconDownload, IconSend, IconTrash, IconUpload } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SESSION_FIELD, SESSION_HEADER } from '../../../../../contract/access/session.ts';
import type { Backup } from '../../../../../contract/backups.ts';
import { hasProblemCode, isProblem, PanelCallError } from '../../../../../contract/client.ts';
import { buildProblem } from '../../../../../contract/errors.ts';
import { Confirm } from '../../../components/confirm.tsx';
import { Bytes, DateTime } from '../../../components/figures.tsx';
import { SectionCard } from '../../../components/page.tsx';
import { EmptyState } from '../../../components/placeholder.tsx';
import { Mark } from '../../../components/state.tsx';
import { usePanel } from '../../../data/panel.tsx';
import { useAct } from '../../../data/use-act.ts';
import { useFormat } from '../../../format/use-format.tsx';
import { buildHash } from '../../../router/route.ts';
import { navigate } from '../../../router/router.ts';
import { setDropped, useDropped } from '../../../state/dropped.ts';
import { notify, notifyFailure } from '../../../state/messages.ts';
import { markSessionEnded } from '../../../state/session.ts';
import { sessionSecret } from '../../../state/session-secret.ts';
import rows from '../parts/rows.module.css';

interface ListCardProps {
  readonly backups: readonly Backup[];
  readonly folder: string;
  /** Whether a Telegram account is paired. */
  readonly hasChats: boolean;
}

export function ListCard({ backups, folder, hasChats }: ListCardProps) {
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
            <BackupRow key={backup.name} backup={backup} hasChats={hasChats} onDelete={() => setChosen(backup)} />
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
  readonly hasChats: boolean;
  readonly onDelete: () => void;
}

function BackupRow({ backup, hasChats, onDelete }: BackupRowProps) {
  const { t } = useTranslation('settings');
  const { name, kind, created_at, size_bytes, encrypted, secrets } = backup;
  // The download is no operation and cannot ask for the proof, so `prove` asks for it first.
  const prove = useAct('prove', { onDone: () => download(name) });
  const send = useAct('sendBackup', { message: () => ({ text: t('backups.list.sent') }) });
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
          href={buildHash(['settings', 'backups', name])}
          aria-label={t('backups.list.restoreOf', { name })}
        >
          {t('backups.list.restore')}
        </Button>
        <Tooltip label={t('backups.list.download')}>
          <ActionIcon
            onClick={() => prove.start({})}
            variant="subtle"
            color="gray"
            size={32}
            aria-label={t('backups.list.downloadOf', { name })}
          >
            <IconDownload size={16} stroke={1.5} />
          </ActionIcon>
        </Tooltip>
        {encrypted && hasChats && (
          <Tooltip label={t('backups.list.send')}>
            <ActionIcon
              onClick={() => send.start({ name })}
              variant="subtle"
              color="gray"
              size={32}
              aria-label={t('backups.list.sendOf', { name })}
            >
              <IconSend size={16} stroke={1.5} />
            </ActionIcon>
          </Tooltip>
        )}
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

// Uploads a backup from a file, and shows the progress.

function UploadButton() {
  const { t } = useTranslation('settings');
  const format = useFormat();
  const { invalidate } = usePanel();
  const [part, setPart] = useState<number | null>(null);
  const dropped = useDropped(({ backup }) => backup);
  const upload = async (file: File | null, onDone?: (backup: Backup) => void) => {
    if (file === null) return;
    setPart(0);
    try {
      const backup = await uploadBackup(file, setPart);
      invalidate('panel');
      notify({ text: t('backups.list.uploaded', { size: format.bytes(backup.size_bytes) }) });
      onDone?.(backup);
    } catch (failure) {
      if (hasProblemCode(failure, 'signed_out')) markSessionEnded();
      notifyFailure(failure);
    } finally {
      setPart(null);
    }
  };
  const uploadDropped = useEffectEvent((file: File) => {
    if (useDropped.getState().backup !== file) return;
    setDropped(null);
    void upload(file, ({ name }) => navigate(buildHash(['settings', 'backups', name])));
  });
  useEffect(() => {
    if (dropped !== null) uploadDropped(dropped);
  }, [dropped]);
  return (
    <FileButton onChange={(file) => void upload(file)} accept=".gatehouse-backup">
      {(props) => (
        <Button
          {...props}
          variant="default"
          disabled={part !== null}
          leftSection={<IconUpload size={16} stroke={1.5} />}
        >
          {part === null ? t('backups.list.upload') : t('backups.list.uploading', { percent: format.percent(part) })}
        </Button>
      )}
    </FileButton>
  );
}

// Download and upload of backups, for which the panel door has routes of its own beside the operations.

function backupUrl(name = ''): string {
  return new URL(`./panel/backups/${encodeURIComponent(name)}`, document.baseURI).href;
}

/** Uses a form: the browser saves the reply as it arrives, and unlike a link, a form can send the page's half of the session. */
function download(name: string): void {
  const form = document.createElement('form');
  form.method = 'post';
  form.action = backupUrl(name);
  form.hidden = true;
  const field = document.createElement('input');
  field.name = SESSION_FIELD;
  field.value = sessionSecret.read() ?? '';
  form.append(field);
  document.body.append(form);
  form.submit();
  form.remove();
}

/** Uploads a file; `onProgress` receives the sent part, 0 to 1. Rejects with PanelCallError. */
function uploadBackup(file: Blob, onProgress: (part: number) => void): Promise<Backup> {
  // XMLHttpRequest, because fetch reports no upload progress.
  const request = new XMLHttpRequest();
  request.open('POST', backupUrl());
  request.setRequestHeader('Content-Type', 'application/octet-stream');
  request.setRequestHeader('Accept', 'application/json');
  const secret = sessionSecret.read();
  if (secret !== null) request.setRequestHeader(SESSION_HEADER, secret);
  return new Promise((resolve, reject) => {
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onload = () => {
      const reply = parse(request.responseText);
      if (request.status === 201) resolve(reply as Backup);
      else reject(new PanelCallError(isProblem(reply) ? reply : buildProblem('unavailable', 'none')));
    };
    request.onerror = () => reject(new PanelCallError(buildProblem('unavailable', 'none')));
    request.send(file);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
