// Conditions as their chips are read: "Who: billing bot".
import { useTranslation } from 'react-i18next';
import { useOperation } from '../../data/use-operation.ts';
import { useFormat } from '../../format/use-format.tsx';
import type { Filter, FilterName } from './filter.ts';
import { targetOf } from './target.ts';
import type { Words } from './use-words.ts';

export function useFilterLabels(filter: Filter, words: Words): (name: FilterName) => string {
  const { t } = useTranslation('audit');
  const format = useFormat();
  const keys = useOperation('listKeys', {}, { enabled: filter.key_id !== undefined });
  const target = filter.target === undefined ? null : targetOf(filter.target);
  const userId = target?.kind === 'user' && /^[1-9]\d{0,15}$/.test(target.id) ? Number(target.id) : null;
  const user = useOperation('getUser', { id: userId ?? 1 }, { enabled: userId !== null });

  function told(name: FilterName): string {
    switch (name) {
      case 'action':
        return words.actionOf(filter.action ?? '');
      case 'actor':
        return filter.key_id === undefined
          ? t(filter.actor === 'key' ? 'filter.anyKey' : `actor.${filter.actor ?? 'unknown'}`)
          : (keys.data?.items.find(({ id }) => id === filter.key_id)?.name ?? String(filter.key_id));
      case 'target': {
        const known = words.nameOf({ target: filter.target ?? null, detail: {}, action: '' });
        const name = known ?? (userId === null ? null : (user.data?.name ?? null));
        return name ?? (target === null ? (filter.target ?? '') : words.kindOf(target));
      }
      case 'since':
      case 'until':
        return format.moment(filter[name] ?? 0, 'dateTime');
    }
  }
  return (name) => t(`filter.chip.${name}`, { value: told(name) });
}
