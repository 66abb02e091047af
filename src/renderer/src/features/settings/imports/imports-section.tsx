// Imports from other panels: files, what would be done, the import itself and its undo; and the export of this panel.
import { useTranslation } from 'react-i18next';
import { useOperation } from '../../../data/use-operation.ts';
import { Reading } from '../parts/parts.tsx';
import { ExportCard } from './export-card.tsx';
import { FilesCard } from './files-card.tsx';
import { ImportedCard } from './imported-card.tsx';
import { ReportCard } from './report-card.tsx';

const RUNNING_POLL_MS = 1000;

export function ImportsSection() {
  const { t } = useTranslation('settings');
  const job = useOperation('getImport', {});
  const isRunning = job.data?.phase === 'planning' || job.data?.phase === 'applying';
  useOperation('getImport', {}, { enabled: isRunning, pollMs: RUNNING_POLL_MS });
  return (
    <Reading title={t('imports.title')} query={job} height={200}>
      {(data) => (
        <>
          {data.phase === 'empty' || data.phase === 'planning' ? <FilesCard job={data} /> : <ReportCard job={data} />}
          {data.imported.length > 0 && <ImportedCard imported={data.imported} />}
          <ExportCard />
        </>
      )}
    </Reading>
  );
}
