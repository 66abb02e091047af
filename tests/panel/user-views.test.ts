// Saved views of the list of users: stored, replaced and deleted under names that are unique, up to a number, and noted in the audit log.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MAX_VIEWS } from '../../src/contract/users/user-views.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';

let panel: TestPanel;
beforeAll(async () => {
  panel = await startPanel();
});
afterAll(() => panel.stop());

const list = async () => (await panel.act('listUserViews', {})).items;
const VIEW = { name: 'Ends soon', query: 'expires=7&sort=expires_at', columns: ['name', 'expires_at'] };

it('are saved, replaced and deleted', async () => {
  expect(await list()).toEqual([]);
  const first = await panel.act('saveUserView', VIEW);
  expect(first).toEqual({ ...VIEW, id: 1 });
  const second = await panel.act('saveUserView', { ...VIEW, name: 'Family', query: 'tag=family' });
  const renamed = await panel.act('saveUserView', { ...first, name: 'ENDS SOON' });
  expect(await list()).toEqual(expect.arrayContaining([renamed, second]));
  await panel.act('deleteUserView', { id: second.id });
  expect(await list()).toEqual([{ ...VIEW, id: 1, name: 'ENDS SOON' }]);
  // A page that still has the deleted one does not get another instead.
  expect((await panel.act('saveUserView', { ...VIEW, name: 'Family' })).id).toBe(3);
  const { items } = await panel.act('listAudit', { target: 'settings' });
  expect(items.map(({ action }) => action)).toEqual([
    'saveUserView',
    'deleteUserView',
    'saveUserView',
    'saveUserView',
    'saveUserView',
  ]);
});

it('have names of their own, and none is saved that is not there', async () => {
  const taken = { code: 'validation', errors: [{ pointer: '#/name', code: 'taken' }] };
  await expect(panel.act('saveUserView', { ...VIEW, name: 'ends soon' })).rejects.toMatchObject(taken);
  await expect(panel.act('saveUserView', { ...VIEW, id: 3, name: 'Ends soon' })).rejects.toMatchObject(taken);
  await expect(panel.act('saveUserView', { ...VIEW, id: 99, name: 'New' })).rejects.toMatchObject({
    code: 'not_found',
  });
  await expect(panel.act('deleteUserView', { id: 99 })).rejects.toMatchObject({ code: 'not_found' });
  expect((await list()).map(({ id }) => id)).toEqual([1, 3]);
});

it('are so many at most', async () => {
  for (let count = 2; count < MAX_VIEWS; count += 1)
    await panel.act('saveUserView', { ...VIEW, name: `View ${count}` });
  await expect(panel.act('saveUserView', { ...VIEW, name: 'Another' })).rejects.toMatchObject({ code: 'view_limit' });
  expect(await list()).toHaveLength(MAX_VIEWS);
});
