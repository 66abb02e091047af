// Which connections a user may use, by their names.
import { useTranslation } from 'react-i18next';
import { useWholeList } from '../../data/use-operation.ts';

/** `formatNames(null)`: all of them. A connection that was deleted is shown by its id. */
export function useConnectionNames(): { readonly formatNames: (ids: readonly number[] | null) => string } {
  const { t } = useTranslation('users');
  const { data } = useWholeList('listInbounds', {});
  const names = new Map(data?.items.map(({ id, name }) => [id, name]));
  return {
    formatNames(ids) {
      if (ids === null) return t('bulk.preview.allConnections');
      if (ids.length === 0) return t('bulk.preview.noConnections');
      return ids.map((id) => names.get(id) ?? `#${id}`).join(' · ');
    },
  };
}
