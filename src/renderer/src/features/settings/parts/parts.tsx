// A box for a message that must not be missed: a warning, or the result of an action.
import { IconAlertTriangle, IconCircleCheck, IconInfoCircle } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { Fragment, type ReactNode } from 'react';
import type { PanelCallError } from '../../../../../contract/client.ts';
import { CopyButton } from '../../../components/copy-button.tsx';
import { SectionCard } from '../../../components/page.tsx';
import { ErrorState } from '../../../components/placeholder.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import classes from './parts.module.css';

interface NoticeProps {
  readonly tone: 'info' | 'warn' | 'bad' | 'ok';
  readonly title?: string;
  readonly children: ReactNode;
  /** Buttons below the text. */
  readonly actions?: ReactNode;
}

const ICONS = { info: IconInfoCircle, warn: IconAlertTriangle, bad: IconAlertTriangle, ok: IconCircleCheck } as const;

export function Notice({ tone, title, children, actions }: NoticeProps) {
  const Icon = ICONS[tone];
  return (
    <div className={classes.notice} data-tone={tone} role={tone === 'bad' ? 'alert' : 'status'}>
      <Icon size={16} stroke={1.5} aria-hidden />
      <div>
        {title !== undefined && <p className={classes.noticeTitle}>{title}</p>}
        <div>{children}</div>
        {actions !== undefined && <div className={classes.noticeActions}>{actions}</div>}
      </div>
    </div>
  );
}

// A line with a copy button: an address, a fingerprint, a command.

interface CopyLineProps {
  readonly value: string;
  /** Label of the button, such as "Copy the address". */
  readonly label: string;
  /** Preserves line breaks, for commands of several lines. */
  readonly multiline?: boolean;
  /** Shown instead of a value that contains a secret. */
  readonly shown?: string;
}

export function CopyLine({ value, label, multiline = false, shown = value }: CopyLineProps) {
  return (
    <div className={classes.line} data-multiline={multiline || undefined}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines must be scrollable by keyboard. */}
      <code tabIndex={0}>{breakable(shown)}</code>
      <CopyButton value={value} label={label} />
    </div>
  );
}

const FINGERPRINT = /^(?:[\dA-F]{2}:){5,}[\dA-F]{2}$/;

/** Allows line breaks between the bytes of a fingerprint. */
function breakable(text: string): ReactNode {
  if (!FINGERPRINT.test(text)) return text;
  return [...text.matchAll(/[\dA-F]{2}:?/g)].map(({ 0: byte, index: at }) => (
    <Fragment key={at}>
      {byte}
      <wbr />
    </Fragment>
  ));
}

// A card around the result of a query: a skeleton while it loads, the failure with a retry, or the content.

interface ReadingProps<Data> {
  /** The card's title until the content has loaded. */
  readonly title: string;
  readonly query: Pick<UseQueryResult<Data, PanelCallError>, 'data' | 'error' | 'refetch'>;
  /** Expected height of the content in px. */
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
