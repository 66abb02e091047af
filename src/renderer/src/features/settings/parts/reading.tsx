// A card around something that is read: bones while it loads, what went wrong and a way to try again, then the thing itself.
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { PanelCallError } from '../../../../../contract/client.ts';
import { SectionCard } from '../../../components/page.tsx';
import { ErrorState } from '../../../components/placeholder.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';

interface ReadingProps<Data> {
  /** The card's, while there is nothing to show. */
  readonly title: string;
  readonly query: Pick<UseQueryResult<Data, PanelCallError>, 'data' | 'error' | 'refetch'>;
  /** px, as high as what will stand here. */
  readonly height?: number;
  readonly children: (data: Data) => ReactNode;
}

export function Reading<Data>({ title, query, height = 120, children }: ReadingProps<Data>) {
  if (query.data !== undefined) return children(query.data);
  return (
    <SectionCard title={title}>
      {query.error === null ? (
        <Skeleton height={height} />
      ) : (
        <ErrorState size="small" failure={query.error} onRetry={() => void query.refetch()} />
      )}
    </SectionCard>
  );
}
