// The connections that the user may use, each with its state and its node.
import { useTranslation } from 'react-i18next';
import type { User } from '../../../../../contract/users/users.ts';
import { DrawerSection } from '../../../components/record-drawer.tsx';
import { StateDot } from '../../../components/state.tsx';
import { useWholeList } from '../../../data/use-operation.ts';
import { buildHash } from '../../../router/route.ts';
import classes from './record.module.css';

export function ConnectionsSection({ user }: { readonly user: User }) {
  const { t } = useTranslation(['users', 'connections']);
  const connections = useWholeList('listInbounds', {});
  const nodes = useWholeList('listNodes', {});
  if (connections.data === undefined) return null;
  const nodeNames = new Map((nodes.data?.items ?? []).map(({ id, name }) => [id, name]));
  const own = connections.data.items.filter(({ id }) => user.inbounds === null || user.inbounds.includes(id));
  return (
    <DrawerSection title={t('users:connections.title')}>
      {own.length === 0 && <p className={classes.quiet}>{t('users:connections.none')}</p>}
      <ul className={classes.connections}>
        {own.map(({ id, name, enabled, status, node_id }) => {
          const state = enabled ? status : 'disabled';
          return (
            <li key={id}>
              <StateDot state={state} label={t(`connections:state.${state}`)} bare />
              <a href={buildHash(['connections', id])}>{name}</a>
              <span className={`${classes.nodeFigures} ${classes.quiet}`}>{nodeNames.get(node_id)}</span>
            </li>
          );
        })}
      </ul>
    </DrawerSection>
  );
}
