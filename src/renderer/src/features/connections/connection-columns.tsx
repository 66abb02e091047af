// The columns of the list of connections.
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Inbound } from '../../../../contract/inbounds.ts';
import type { Node } from '../../../../contract/nodes/nodes.ts';
import { needsText, WarningCount } from '../../components/connection-facts.tsx';
import { Identity } from '../../components/identity.tsx';
import { createColumns } from '../../components/table/columns.ts';
import { buildHash } from '../../router/route.ts';
import { ConnectionState, formatKind } from './connection-labels.tsx';
import { ConnectionMenu } from './connection-menu.tsx';
import classes from './connections.module.css';

/** A connection with the name and address of its node. */
export interface ConnectionRow extends Inbound {
  readonly node: string;
  /** Number of other connections in its group. */
  readonly others: number;
  /** The address for users: the connection's host, else the node's address. */
  readonly address: string;
}

/** Connections as rows; `nodes` by id. */
export function buildRows(all: readonly Inbound[], nodes: ReadonlyMap<number, Node>): readonly ConnectionRow[] {
  const sizes = new Map<number, number>();
  for (const { group_id: group } of all) if (group != null) sizes.set(group, (sizes.get(group) ?? 0) + 1);
  return all.map((inbound) => {
    const node = nodes.get(inbound.node_id);
    return {
      ...inbound,
      node: node?.name ?? '',
      others: inbound.group_id == null ? 0 : (sizes.get(inbound.group_id) ?? 1) - 1,
      address: `${inbound.host ?? node?.address ?? ''}:${inbound.port ?? ''}`,
    };
  });
}

const column = createColumns<ConnectionRow>();
const noop = () => {};

export function useConnectionColumns(buildHref: (inbound: Inbound) => string) {
  const { t } = useTranslation('connections');
  return useMemo(
    () =>
      column.columns([
        column.accessor('name', {
          meta: { label: t('columns.name'), sort: 'name', isFixed: true },
          cell: ({ row: { original } }) => (
            <Identity name={original.name} detail={original.tag} href={buildHref(original)} />
          ),
        }),
        column.accessor('node', {
          meta: { label: t('columns.node'), width: 140, sort: 'node', hideBelow: 640 },
          cell: ({ getValue, row: { original } }) => (
            <span className={classes.nodeCell}>
              <a className={classes.nodeLink} href={buildHash(['nodes', original.node_id])}>
                {getValue()}
              </a>
              {original.others > 0 && (
                <span className={classes.quiet} title={t('group.text', { count: original.others })}>
                  {t('group.more', { count: original.others })}
                </span>
              )}
            </span>
          ),
        }),
        column.accessor(formatKind, {
          id: 'kind',
          meta: { label: t('columns.kind'), width: 200, sort: 'kind', hideBelow: 860 },
        }),
        column.accessor((inbound) => needsText(t, inbound), {
          id: 'needs',
          meta: { label: t('columns.needs'), width: 152, hideBelow: 1320 },
          cell: ({ getValue }) => <span className={classes.quiet}>{getValue()}</span>,
        }),
        column.accessor('address', {
          meta: { label: t('columns.address'), width: 190, hideBelow: 1100 },
          cell: ({ getValue }) => <span className={classes.quiet}>{getValue()}</span>,
        }),
        column.accessor(({ enabled, status }) => (enabled ? status : 'disabled'), {
          id: 'state',
          meta: { label: t('columns.state'), width: 160, sort: 'state' },
          cell: ({ row: { original } }) => (
            <span className={classes.stateCell}>
              <ConnectionState inbound={original} />
              <WarningCount count={original.warnings?.length ?? 0} />
            </span>
          ),
        }),
        column.display({
          id: 'acts',
          meta: { label: t('columns.acts'), width: 56, isBare: true, isFixed: true, hideBelow: 480 },
          cell: ({ row: { original } }) => <ConnectionMenu inbound={original} onGone={noop} onChanged={noop} />,
        }),
      ]),
    [t, buildHref],
  );
}
