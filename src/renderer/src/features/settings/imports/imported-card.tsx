// What was imported so far, by its source, and its undo.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../../../../contract/table.ts';
import { Confirm } from '../../../components/confirm.tsx';
import { DateTime } from '../../../components/figures.tsx';
import { SectionCard } from '../../../components/page.tsx';
import { useAct } from '../../../data/use-act.ts';
import { useFormat } from '../../../format/use-format.tsx';
import rows from '../parts/rows.module.css';
import { nameSource } from './source-name.ts';

type Imported = Output<'getImport'>['imported'][number];

export function ImportedCard({ imported }: { readonly imported: readonly Imported[] }) {
  const { t } = useTranslation('settings');
  return (
    <SectionCard title={t('imports.imported.title')} description={t('imports.imported.description')} flush>
      <ul className={rows.rows}>
        {imported.map((each) => (
          <ImportedRow key={each.source} imported={each} />
        ))}
      </ul>
    </SectionCard>
  );
}

function ImportedRow({ imported: { source, name, at, users, untouched } }: { readonly imported: Imported }) {
  const { t } = useTranslation('settings');
  const format = useFormat();
  const [isAsking, setAsking] = useState(false);
  const label = nameSource(t, name);
  const undo = useAct('undoImport', {
    message: (gone) => ({
      text: t('imports.imported.done', {
        users: format.number(gone.users),
        inbounds: format.number(gone.inbounds),
        tariffs: format.number(gone.tariffs),
      }),
    }),
  });
  return (
    <li className={rows.row}>
      <div className={rows.rowMain}>
        <span className={rows.rowName}>{label}</span>
        <span className={rows.aside}>
          <DateTime at={at} style="dateTime" /> · {t('imports.imported.users', { count: users })}
        </span>
      </div>
      <div className={rows.rowActs}>
        <Button
          variant="subtle"
          disabled={untouched === 0}
          aria-label={t('imports.imported.undoOf', { name: label })}
          onClick={() => setAsking(true)}
        >
          {t('imports.imported.undo')}
        </Button>
      </div>
      <Confirm
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={t('imports.imported.confirm', { name: label })}
        action={t('imports.imported.submit')}
        onConfirm={() => undo.run({ source })}
        isDangerous
      >
        {t('imports.imported.confirmText', { untouched: format.number(untouched), users: format.number(users) })}
      </Confirm>
    </li>
  );
}
