// A placeholder for empty, missing or failed content. Each says what to do next.
import { Button } from '@mantine/core';
import { IconAlertTriangle, IconRefresh } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { PanelCallError } from '../../../contract/client.ts';
import { useFailureText } from './failure.ts';
import classes from './placeholder.module.css';

interface EmptyStateProps {
  readonly icon?: ReactNode;
  /** What is missing: "No plans yet". */
  readonly title: string;
  /** One sentence of explanation. */
  readonly text?: ReactNode;
  /** The suggested action. */
  readonly action?: ReactNode;
  /** `small`: inside a card. */
  readonly size?: 'page' | 'small';
  /** Its title is the page's heading, if the page has no other. */
  readonly isHeading?: boolean;
}

export function EmptyState({ icon, title, text, action, size = 'page', isHeading = false }: EmptyStateProps) {
  const Title = isHeading ? 'h1' : 'p';
  return (
    <div className={classes.root} data-size={size}>
      {icon !== undefined && (
        <span className={classes.icon} aria-hidden>
          {icon}
        </span>
      )}
      <Title className={classes.title}>{title}</Title>
      {text !== undefined && <p className={classes.text}>{text}</p>}
      {action !== undefined && <div className={classes.action}>{action}</div>}
    </div>
  );
}

interface ErrorStateProps {
  readonly failure: PanelCallError;
  readonly onRetry?: () => void;
  readonly size?: 'page' | 'small';
}

/** A read that failed: what happened, the request id, and a retry. */
export function ErrorState({ failure, onRetry, size = 'page' }: ErrorStateProps) {
  const { t } = useTranslation(['errors', 'common']);
  const { text, requestId } = useFailureText()(failure);
  return (
    <div className={classes.root} data-size={size} role="alert">
      <span className={classes.icon} data-bad aria-hidden>
        <IconAlertTriangle size={20} stroke={1.5} />
      </span>
      <p className={classes.title}>{t('errors:loadFailed')}</p>
      <p className={classes.text}>{text}</p>
      {requestId !== null && <code className={classes.id}>{t('common:requestId', { id: requestId })}</code>}
      {onRetry !== undefined && (
        <div className={classes.action}>
          <Button variant="default" leftSection={<IconRefresh size={16} stroke={1.5} />} onClick={onRetry}>
            {t('common:retry')}
          </Button>
        </div>
      )}
    </div>
  );
}
