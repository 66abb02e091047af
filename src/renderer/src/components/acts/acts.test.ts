// The registry of actions: it has every bulk action of the contract, names in every language, and no two actions in one place share a key.
import { describe, expect, it } from 'vitest';
import { BULK_ACTIONS } from '../../../../contract/users/user-acts.ts';
import { LANGUAGES } from '../../../../i18n/languages.ts';
import { loadPageTexts } from '../../../../i18n/page-texts.ts';
import { ACTS, ALL_ACTS, actsIn } from './acts.ts';

function textAt(texts: object, name: string): unknown {
  const [namespace = '', path = ''] = name.split(':');
  return [namespace, ...path.split('.')].reduce<unknown>((at, part) => Object(at)[part], texts);
}

describe('the registry of acts', () => {
  it('has every bulk action as an act on a selection', () => {
    const acts = ALL_ACTS.filter(({ contexts }) => contexts.includes('selection')).map(({ id }) => id);
    expect(acts.toSorted()).toEqual(BULK_ACTIONS.map((action) => `users.${action}`).toSorted());
  });

  it.each(LANGUAGES)('names every act in $code', async ({ code }) => {
    const texts = await loadPageTexts(code);
    for (const { id, name } of ALL_ACTS) expect(textAt(texts, name), id).toMatch(/\S/);
  });

  it('gives a key to one act of a subject and place', () => {
    const taken = ALL_ACTS.flatMap(({ subject, contexts, keys }) =>
      keys === undefined ? [] : contexts.map((place) => `${subject} ${place} ${keys}`),
    );
    expect(new Set(taken).size).toBe(taken.length);
  });

  it('lists what can be done here in its own order', () => {
    const ids = actsIn({ 'users.delete': () => {}, 'users.extend': () => {} }).map(({ id }) => id);
    expect(ids).toEqual(['users.extend', 'users.delete']);
  });

  it('asks for the name before every deletion of a record that users depend on', () => {
    for (const id of ['users.delete', 'plans.delete', 'connections.delete', 'nodes.delete'] as const) {
      expect(ACTS[id].confirm).toBe('name');
    }
  });
});
