// The saved views of the list: the open one, whether the list differs from it, and opening one by the address `#/users?open=3`.
import { useLayoutEffect, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { UserView } from '../../../../contract/users/user-views.ts';
import type { User } from '../../../../contract/users/users.ts';
import { type Columns, mapColumnLooks } from '../../components/table/columns.ts';
import { useAct } from '../../data/use-act.ts';
import { useOperation } from '../../data/use-operation.ts';
import { useFormat } from '../../format/use-format.tsx';
import { buildHash, changedQuery } from '../../router/route.ts';
import { navigate, setQuery, useRoute } from '../../router/router.ts';
import { panelNow } from '../../state/connection.ts';
import { changeTableView, useView } from '../../state/view.ts';
import { buildTableView, formatStoredQuery, parseStoredQuery, shownColumns } from './views.ts';

/** The present list in the form of a view. */
type Present = Pick<UserView, 'query' | 'columns'>;

export interface UserViews {
  /** By name. */
  readonly all: readonly UserView[];
  readonly open: UserView | undefined;
  readonly isChanged: boolean;
  readonly present: Present;
  /** The name under which the list stores its columns: each view has its own. */
  readonly remember: string;
  /** Saves the present list in the open view. */
  update(): void;
  remove(view: UserView): void;
  /** Opens a view that was just saved from the present list. */
  follow(view: UserView): void;
}

const buildTableId = (id: number) => `users/${id}`;

export function useUserViews(columns: Columns<User>): UserViews {
  const { t } = useTranslation('users');
  const { locale } = useFormat();
  const { query } = useRoute();
  const looks = useMemo(() => mapColumnLooks(columns), [columns]);
  const { data } = useOperation('listUserViews', {});
  const all = useMemo(
    () => (data?.items ?? []).toSorted((one, other) => one.name.localeCompare(other.name, locale)),
    [data, locale],
  );
  const open = all.find(({ id }) => String(id) === query.get('view'));
  const remember = open === undefined ? 'users' : buildTableId(open.id);
  const table = useView(({ tables }) => tables[remember]);
  const present = { query: formatStoredQuery(query, panelNow()), columns: shownColumns(looks, table ?? {}) };

  // Before the list is rendered: otherwise it would be read twice.
  const requestedView = query.get('open');
  const found = all.find(({ id }) => String(id) === requestedView);
  useLayoutEffect(() => {
    if (requestedView === null || data === undefined) return;
    if (found === undefined) return setQuery({ open: null });
    changeTableView(buildTableId(found.id), buildTableView(found.columns, looks));
    const opened = changedQuery(parseStoredQuery(found.query, panelNow()), { view: found.id });
    navigate(buildHash(['users'], opened), { replace: true });
  }, [requestedView, data, found, looks]);
  // A link to a view was opened in a browser that has not stored its columns.
  useLayoutEffect(() => {
    if (open !== undefined && table === undefined) changeTableView(remember, buildTableView(open.columns, looks));
  }, [open, table, remember, looks]);

  // Columns that this version does not have are not compared.
  const isSame = ({ query: stored, columns: chosen }: UserView, { query: now, columns: shown }: Present) =>
    stored === now && shownColumns(looks, buildTableView(chosen, looks)).join() === shown.join();

  const again = useAct('saveUserView');
  const save = useAct('saveUserView', {
    message: ({ name }) => ({ text: t('views.saved', { name }), ...(open && { undo: () => again.run(open) }) }),
  });
  const drop = useAct('deleteUserView', {
    message: (_, { id }) => {
      const view = all.find((one) => one.id === id);
      if (view === undefined) return;
      const { id: _id, ...fields } = view;
      return { text: t('views.deleted', { name: view.name }), undo: () => again.run(fields) };
    },
    onDone: (_, { id }) => id === open?.id && setQuery({ view: null }),
  });
  return {
    all,
    open,
    isChanged: open !== undefined && !isSame(open, present),
    present,
    remember,
    update: () => open && save.start({ ...open, ...present }),
    remove: ({ id }) => drop.start({ id }),
    follow: (view) => {
      changeTableView(buildTableId(view.id), buildTableView(view.columns, looks));
      setQuery({ view: view.id });
    },
  };
}
