// A plain sentence that must not be missed: a warning, or what has just been done and what follows from it.
import { IconAlertTriangle, IconCircleCheck, IconInfoCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './parts.module.css';

interface NoticeProps {
  readonly tone: 'info' | 'warn' | 'bad' | 'ok';
  readonly title?: string;
  readonly children: ReactNode;
  /** Under the text. */
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
