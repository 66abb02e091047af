// The export of everything, read in parts and saved as one file.
import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SectionCard } from '../../../components/page.tsx';
import { useHost } from '../../../data/host.ts';
import { useAct } from '../../../data/use-act.ts';
import { panelNow } from '../../../state/connection.ts';
import { notify, notifyFailure } from '../../../state/messages.ts';

export function ExportCard() {
  const { t } = useTranslation('settings');
  const host = useHost();
  const read = useAct('exportData');
  const [isRunning, setRunning] = useState(false);
  const save = async () => {
    setRunning(true);
    try {
      const parts: string[] = [];
      for (let after: number | null = null; ; ) {
        const { text, next }: { text: string; next: number | null } = await read.run({ after });
        parts.push(text);
        if (next === null) break;
        after = next;
      }
      const file = `gatehouse-export-${new Date(panelNow()).toISOString().slice(0, 10)}.json`;
      if (await host.save(file, 'application/json', parts.join('')))
        notify({ text: t('imports.export.done', { file }) });
    } catch (failure) {
      notifyFailure(failure);
    } finally {
      setRunning(false);
    }
  };
  return (
    <SectionCard
      title={t('imports.export.title')}
      description={t('imports.export.description')}
      footer={
        <Button
          variant="default"
          leftSection={<IconDownload size={16} stroke={1.5} />}
          loading={isRunning}
          onClick={() => void save()}
        >
          {t('imports.export.submit')}
        </Button>
      }
    />
  );
}
