// Takes a backup in from a file, and says how far it is.
import { Button, FileButton } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isProblemOf } from '../../../../../contract/client.ts';
import { usePanel } from '../../../data/panel.tsx';
import { useFormat } from '../../../format/use-format.tsx';
import { notify, notifyFailure } from '../../../state/messages.ts';
import { markSessionEnded } from '../../../state/session.ts';
import { uploadBackup } from './backup-files.ts';

export function UploadButton() {
  const { t } = useTranslation('settings');
  const format = useFormat();
  const { invalidate } = usePanel();
  const [part, setPart] = useState<number | null>(null);
  const upload = async (file: File | null) => {
    if (file === null) return;
    setPart(0);
    try {
      const { size_bytes } = await uploadBackup(file, setPart);
      invalidate('panel');
      notify({ text: t('backups.list.uploaded', { size: format.bytes(size_bytes) }) });
    } catch (failure) {
      if (isProblemOf(failure, 'signed_out')) markSessionEnded();
      notifyFailure(failure);
    } finally {
      setPart(null);
    }
  };
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
