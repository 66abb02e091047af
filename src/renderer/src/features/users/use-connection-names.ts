// The names of the connections that a user may use.
import { useTranslation } from 'react-i18next';
import { useWholeList } from '../../data/use-operation.ts';

/** `formatNames(null)`: all connections. A deleted connection is shown by its id. */
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
