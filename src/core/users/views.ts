// The saved views of the list of users, all of them in one setting.

import type { Input } from '../../contract/table.ts';
import { MAX_VIEWS, type UserView } from '../../contract/users/user-views.ts';
import type { Handlers, Transaction } from '../kernel/context.ts';
import { bodyError, PanelError } from '../kernel/panel-error.ts';
import { isSameJson } from '../kernel/wire.ts';
import type { Result } from '../ports/call.ts';

function saveUserView({ id, ...fields }: Input<'saveUserView'>, tx: Transaction): Result<UserView> {
  const { lastId, items } = tx.settings.userViews;
  const before = items.find((view) => view.id === id);
  if (id !== undefined && !before) throw new PanelError('not_found');
  const isNamed = ({ name }: UserView) => name.toLocaleLowerCase() === fields.name.toLocaleLowerCase();
  if (items.some((view) => view !== before && isNamed(view))) {
    throw bodyError('validation', '#/name', 'taken', 'is the name of another view');
  }
  if (!before && items.length >= MAX_VIEWS) throw new PanelError('view_limit');
  const view = { ...fields, id: before?.id ?? lastId + 1 };
  if (before && isSameJson(view, before)) return { body: view };
  const others = items.filter((other) => other !== before);
  tx.saveSettings({ userViews: { lastId: Math.max(lastId, view.id), items: [...others, view] } });
  tx.audit('settings', { view });
  return { body: view };
}

function deleteUserView({ id }: Input<'deleteUserView'>, tx: Transaction): Result<undefined> {
  const { lastId, items } = tx.settings.userViews;
  const view = items.find((one) => one.id === id);
  if (!view) throw new PanelError('not_found');
  tx.saveSettings({ userViews: { lastId, items: items.filter((one) => one !== view) } });
  tx.audit('settings', { view });
  return { body: undefined };
}

export const USER_VIEW_HANDLERS = {
  listUserViews: { read: (_input, { settings }) => ({ body: { items: [...settings.userViews.items] } }) },
  saveUserView: { write: saveUserView },
  deleteUserView: { write: deleteUserView },
} satisfies Handlers<'listUserViews' | 'saveUserView' | 'deleteUserView'>;
