// The connections of a node, each a link to its record.
import { useTranslation } from 'react-i18next';
import { DrawerSection } from '../../components/record-drawer.tsx';
import { StateDot } from '../../components/state.tsx';
import { useOperation } from '../../data/use-operation.ts';
import { hashOf } from '../../router/route.ts';
import classes from './nodes.module.css';

export function NodeConnections({ nodeId }: { readonly nodeId: number }) {
  const { t } = useTranslation(['nodes', 'connections']);
  const { data } = useOperation('listInbounds', { node_id: nodeId, limit: 500 });
  return (
    <DrawerSection
      title={t('connections:title')}
      actions={
        <a className={classes.more} href={hashOf(['connections', 'new'], { node: nodeId })}>
          {t('connections:create')}
        </a>
      }
    >
      {data?.items.length === 0 && <p className={classes.quiet}>{t('nodes:noConnections')}</p>}
      <ul className={classes.connections}>
        {data?.items.map(({ id, name, enabled, status, port, tag }) => {
          const state = enabled ? status : 'disabled';
          return (
            <li key={id}>
              <a className={classes.connection} href={hashOf(['connections', id], { node: nodeId })}>
                <StateDot state={state} label={t(`connections:state.${state}`)} bare />
                <span className={classes.connectionName}>{name}</span>
                <span className={classes.quiet}>{tag}</span>
                <span className={classes.port}>:{port}</span>
              </a>
            </li>
          );
        })}
      </ul>
    </DrawerSection>
  );
}
