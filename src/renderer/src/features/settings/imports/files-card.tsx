// The files of an import: chosen or pasted, sent in parts, and read.
import { Button, FileButton, Select, Textarea } from '@mantine/core';
import { IconClipboard, IconUpload } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IMPORT_SOURCES } from '../../../../../contract/imports/document.ts';
import type { Output } from '../../../../../contract/table.ts';
import { SectionCard } from '../../../components/page.tsx';
import { useAct } from '../../../data/use-act.ts';
import { useWholeList } from '../../../data/use-operation.ts';
import { useFormat } from '../../../format/use-format.tsx';
import { notifyFailure } from '../../../state/messages.ts';
import { Notice } from '../parts/parts.tsx';
import rows from '../parts/rows.module.css';
import { listParts, toFileName } from './file-parts.ts';
import { nameSource } from './source-name.ts';

type Job = Output<'getImport'>;

/** A pasted list as a file. */
const PASTED = 'list.txt';

export function FilesCard({ job }: { readonly job: Job }) {
  const { t } = useTranslation('settings');
  const nodes = useWholeList('listNodes', {});
  const [nodeId, setNodeId] = useState<string | null>(null);
  const plan = useAct('planImport');
  const upload = useUpload();
  const isBusy = upload.progress !== null || job.phase === 'planning';
  const known = nodes.data?.items ?? [];
  const chosen = nodeId ?? String((known.find(({ kind }) => kind === 'local') ?? known[0])?.id ?? '');
  return (
    <SectionCard
      title={t('imports.title')}
      description={t('imports.description')}
      footer={
        <Button
          loading={job.phase === 'planning'}
          disabled={job.files.length === 0 || isBusy}
          onClick={() => plan.start({ source: null, node_id: chosen === '' ? null : Number(chosen) })}
        >
          {t('imports.plan')}
        </Button>
      }
    >
      <div className={rows.stack}>
        <ChooseFiles upload={upload} isDisabled={isBusy} />
        {job.files.length > 0 && <FileList files={job.files} isDisabled={isBusy} />}
        {job.phase === 'planning' && (
          <p role="status">{t('imports.planning', { users: t('imports.usersDone', { count: job.done }) })}</p>
        )}
        {known.length > 0 && (
          <Select
            className={rows.narrow}
            label={t('imports.node')}
            description={t('imports.nodeHint')}
            data={known.map(({ id, name }) => ({ value: String(id), label: name }))}
            value={chosen}
            onChange={setNodeId}
            allowDeselect={false}
            disabled={isBusy}
          />
        )}
        {nodes.data !== undefined && known.length === 0 && <Notice tone="info">{t('imports.noNode')}</Notice>}
        <details>
          <summary>{t('imports.sources')}</summary>
          <ul className={rows.points}>
            {IMPORT_SOURCES.map((source) => (
              <li key={source}>
                <b>{nameSource(t, source)}</b>: {t(`imports.files.${source}`)}
              </li>
            ))}
          </ul>
        </details>
      </div>
    </SectionCard>
  );
}

interface ChooseFilesProps {
  readonly upload: ReturnType<typeof useUpload>;
  readonly isDisabled: boolean;
}

function ChooseFiles({ upload, isDisabled }: ChooseFilesProps) {
  const { t } = useTranslation('settings');
  const format = useFormat();
  const [pasted, setPasted] = useState<string | null>(null);
  const { progress, send } = upload;
  return (
    <>
      <div className={rows.rowName}>
        <FileButton onChange={(files) => void send(files)} multiple>
          {(props) => (
            <Button
              {...props}
              variant="default"
              disabled={isDisabled}
              leftSection={<IconUpload size={16} stroke={1.5} />}
            >
              {progress === null
                ? t('imports.drop')
                : t('imports.uploading', { name: progress.name, percent: format.percent(progress.part) })}
            </Button>
          )}
        </FileButton>
        <Button
          variant="default"
          disabled={isDisabled}
          leftSection={<IconClipboard size={16} stroke={1.5} />}
          onClick={() => setPasted(pasted === null ? '' : null)}
        >
          {pasted === null ? t('imports.paste') : t('imports.cancel')}
        </Button>
      </div>
      {pasted === null ? (
        <p className={rows.aside}>{t('imports.dropHint')}</p>
      ) : (
        <div className={rows.stack}>
          <Textarea
            label={t('imports.pasteLabel')}
            description={t('imports.pasteHint')}
            rows={6}
            value={pasted}
            onChange={(event) => setPasted(event.currentTarget.value)}
            autoFocus
          />
          <div>
            <Button
              variant="default"
              disabled={isDisabled || pasted.trim() === ''}
              onClick={() => void send([new File([pasted], PASTED)]).then(() => setPasted(null))}
            >
              {t('imports.pasteAdd')}
            </Button>
          </div>
        </div>
      )}
    </>
  );
}

interface FileListProps {
  readonly files: Job['files'];
  readonly isDisabled: boolean;
}

function FileList({ files, isDisabled }: FileListProps) {
  const { t } = useTranslation('settings');
  const format = useFormat();
  const discard = useAct('discardImport');
  return (
    <>
      <ul className={rows.points}>
        {files.map(({ name, size_bytes }) => (
          <li key={name}>
            {name}, {format.bytes(size_bytes)}
          </li>
        ))}
      </ul>
      <div>
        <Button variant="subtle" disabled={isDisabled} loading={discard.isRunning} onClick={() => discard.start({})}>
          {t('imports.remove')}
        </Button>
      </div>
    </>
  );
}

/** Sends files one after the other; `progress` null: nothing is being sent. */
function useUpload() {
  const add = useAct('addImportFile');
  const [progress, setProgress] = useState<{ readonly name: string; readonly part: number } | null>(null);
  const send = async (files: readonly File[]) => {
    try {
      for (const file of files) {
        const name = toFileName(file.name);
        setProgress({ name, part: 0 });
        for await (const { offset, data } of listParts(file)) {
          await add.run({ name, offset, data });
          setProgress({ name, part: file.size === 0 ? 1 : offset / file.size });
        }
      }
    } catch (failure) {
      notifyFailure(failure);
    } finally {
      setProgress(null);
    }
  };
  return { progress, send };
}
