// The record's parts, the most asked for first.
import { AccessSection } from './access-section.tsx';
import { DetailsSection } from './details-section.tsx';
import { GrantsSection } from './grants-section.tsx';
import { HistorySection } from './history-section.tsx';
import { LinkSection } from './link-section.tsx';
import type { RecordProps } from './record-props.ts';
import { Standing } from './standing.tsx';
import { TermSection } from './term-section.tsx';
import { TrafficSection } from './traffic-section.tsx';

export function UserRecord(props: RecordProps) {
  const { user, plans } = props;
  return (
    <>
      <Standing {...props} />
      <LinkSection user={user} />
      <TermSection {...props} />
      <TrafficSection {...props} />
      <GrantsSection {...props} />
      <AccessSection {...props} />
      <DetailsSection {...props} />
      <HistorySection user={user} plans={plans} />
    </>
  );
}
