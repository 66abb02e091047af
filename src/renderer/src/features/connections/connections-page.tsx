// The page Connections, grouped by node.
import { Button } from '@mantine/core';
import { IconPlugConnected, IconPlus } from '@tabler/icons-react';
import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Inbound } from '../../../../contract/inbounds.ts';
import type { Node } from '../../../../contract/nodes/nodes.ts';
import { useActs } from '../../components/acts/use-acts.ts';
import { FilterTabs } from '../../components/filters.tsx';
import { Page, PageHeader } from '../../components/page.tsx';
import { EmptyState } from '../../components/placeholder.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import { parseRecordSegment } from '../../components/use-opening.ts';
import { useWholeList } from '../../data/use-operation.ts';
import { buildHash, changedQuery } from '../../router/route.ts';
import { leave, navigate, setQuery, useRoute } from '../../router/router.ts';
import { buildRows, useConnectionColumns } from './connection-columns.tsx';
import { ConnectionDrawer } from './connection-drawer.tsx';

const NOTHING: readonly Inbound[] = [];
const NO_NODES: readonly Node[] = [];

export function ConnectionsPage() {
  const { t } = useTranslation(['connections', 'common']);
  const { path, query } = useRoute();
  const connections = useWholeList('listInbounds', {});
  const nodeList = useWholeList('listNodes', {});
  const nodes = nodeList.data?.items ?? NO_NODES;
  const byId = useMemo(() => new Map(nodes.map((node) => [node.id, node])), [nodes]);
  const all = connections.data?.items ?? NOTHING;
  const nodeId = nodes.find(({ id }) => String(id) === query.get('node'))?.id ?? null;
  const rows = useMemo(
    () => buildRows(nodeId === null ? all : all.filter(({ node_id }) => node_id === nodeId), byId),
    [all, nodeId, byId],
  );

  const search = changedQuery(query, { from: null }).toString();
  const buildHref = useCallback(
    ({ id }: Inbound) => buildHash(['connections', id], new URLSearchParams(search)),
    [search],
  );
  const columns = useConnectionColumns(buildHref);
  const list = buildHash(['connections'], new URLSearchParams(search));
  const create = () => navigate(buildHash(['connections', 'new'], new URLSearchParams(search)));
  useActs({ 'connections.create': create });

  const open = parseRecordSegment(path[1]);
  // The initial values of the form need the nodes and the other connections: wait until they are loaded.
  const isWaiting = nodeList.isPending || ((open === 'new' || query.has('from')) && connections.isPending);
  return (
    <Page fill>
      <PageHeader
        title={t('connections:title')}
        actions={
          <Button leftSection={<IconPlus size={16} stroke={1.75} />} onClick={create}>
            {t('connections:create')}
          </Button>
        }
      />
      {nodes.length > 1 && (
        <FilterTabs
          label={t('connections:columns.node')}
          value={nodeId === null ? '' : String(nodeId)}
          onChange={(node) => setQuery({ node })}
          items={[
            { value: '', label: t('common:all'), count: connections.data?.total },
            ...nodes.map(({ id, name }) => ({
              value: String(id),
              label: name,
              count: connections.data && all.filter(({ node_id }) => node_id === id).length,
            })),
          ]}
        />
      )}
      <DataTable
        label={t('connections:title')}
        columns={columns}
        rows={rows}
        reading={connections}
        rowId={({ id }) => id}
        rowName={({ name }) => name}
        buildHref={buildHref}
        openId={typeof open === 'number' ? open : null}
        rowActs={({ id }) => ({ 'connections.copy': () => navigate(buildHash(['connections', 'new'], { from: id })) })}
        sort="node"
        listKey={String(nodeId)}
        empty={
          nodeList.data?.items.length === 0 ? (
            <EmptyState
              icon={<IconPlugConnected size={20} stroke={1.5} />}
              title={t('connections:empty')}
              text={t('connections:emptyNoNodes')}
              action={
                <Button component="a" href={buildHash(['nodes', 'new'])}>
                  {t('connections:addNode')}
                </Button>
              }
            />
          ) : (
            <EmptyState
              icon={<IconPlugConnected size={20} stroke={1.5} />}
              title={t('connections:empty')}
              text={t('connections:emptyHint')}
              action={<Button onClick={create}>{t('connections:create')}</Button>}
            />
          )
        }
      />
      <ConnectionDrawer
        open={isWaiting ? null : open}
        from={all.find(({ id }) => String(id) === query.get('from'))}
        nodeId={nodeId}
        nodes={nodes}
        all={all}
        onClose={() => leave(list)}
      />
    </Page>
  );
}
