// The nodes: the servers that carry the traffic, their states, and advice for those with a problem.
import { Button } from '@mantine/core';
import { IconPlus, IconServer2 } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Node } from '../../../../contract/nodes/nodes.ts';
import { useActs } from '../../components/acts/use-acts.ts';
import { Page, PageHeader } from '../../components/page.tsx';
import { EmptyState } from '../../components/placeholder.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import { parseRecordSegment } from '../../components/use-opening.ts';
import { useWholeList } from '../../data/use-operation.ts';
import { buildHash } from '../../router/route.ts';
import { leave, navigate, useRoute } from '../../router/router.ts';
import { EngineUpdateDrawer } from './engine-update.tsx';
import { useNodeColumns } from './node-columns.tsx';
import { NodeDrawer } from './node-drawer.tsx';

const NO_NODES: readonly Node[] = [];
const EVERY_MS = 15_000;

export function NodesPage() {
  const { t } = useTranslation('nodes');
  const { path } = useRoute();
  const nodes = useWholeList('listNodes', {}, { pollMs: EVERY_MS });
  const columns = useNodeColumns(buildHref);
  const create = () => navigate(buildHash(['nodes', 'new']));
  useActs({ 'nodes.create': create });

  const open = parseRecordSegment(path[1]);
  const isEdited = path[2] === 'edit';
  const all = nodes.data?.items;
  const up = all?.filter(({ enabled, status }) => enabled && status === 'up').length ?? 0;
  return (
    <Page fill>
      <PageHeader
        title={t('title')}
        aside={all === undefined || all.length === 0 ? '' : t('upOf', { up, count: all.length })}
        actions={
          <>
            {all?.some(({ joined }) => joined) && (
              <Button variant="default" component="a" href={buildHash(['nodes', 'engines'])}>
                {t('engines.act')}
              </Button>
            )}
            <Button leftSection={<IconPlus size={16} stroke={1.75} />} onClick={create}>
              {t('create')}
            </Button>
          </>
        }
      />
      <DataTable
        label={t('title')}
        columns={columns}
        rows={all ?? NO_NODES}
        reading={nodes}
        rowId={({ id }) => id}
        rowName={({ name }) => name}
        buildHref={buildHref}
        openId={typeof open === 'number' ? open : null}
        rowActs={({ id }) => ({
          'nodes.edit': () => navigate(buildHash(['nodes', id, 'edit'])),
          'nodes.connections': () => navigate(buildHash(['connections'], { node: id })),
        })}
        empty={
          <EmptyState
            icon={<IconServer2 size={20} stroke={1.5} />}
            title={t('empty')}
            text={t('emptyHint')}
            action={<Button onClick={create}>{t('create')}</Button>}
          />
        }
      />
      <EngineUpdateDrawer
        isOpen={path[1] === 'engines'}
        nodes={all ?? NO_NODES}
        onClose={() => leave(buildHash(['nodes']))}
      />
      <NodeDrawer
        open={open}
        isEdited={isEdited}
        onClose={() => leave(buildHash(isEdited && typeof open === 'number' ? ['nodes', open] : ['nodes']))}
      />
    </Page>
  );
}

function buildHref({ id }: Node): string {
  return buildHash(['nodes', id]);
}
