// Catches errors of a screen, so that the frame around it still works.
import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Component, type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../components/placeholder.tsx';
import { useConnection } from '../state/connection.ts';

interface ErrorBoundaryProps {
  /** Another path resets the error. */
  readonly path: string;
  readonly children: ReactNode;
}

interface State {
  readonly error: unknown;
  readonly path: string;
}

/** React supports error boundaries only as classes. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, State> {
  override state: State = { error: null, path: this.props.path };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error };
  }

  static getDerivedStateFromProps({ path }: ErrorBoundaryProps, state: State): Partial<State> | null {
    return path === state.path ? null : { path, error: null };
  }

  override render(): ReactNode {
    const { error } = this.state;
    return error === null ? this.props.children : <Broken error={error} />;
  }
}

function Broken({ error }: { readonly error: unknown }) {
  const { t } = useTranslation(['errors', 'frame', 'common']);
  // The message of module loaders when a file no longer exists: the panel was updated while the page was open.
  const isChunk = error instanceof TypeError && /dynamically imported module|import/i.test(error.message);
  const reach = useConnection((connection) => connection.reach);
  const isWaiting = isChunk && reach !== 'reached';
  // Reloading while the panel is unreachable would show the browser's error page, so the page waits and then reloads by itself.
  const wasWaiting = useRef(isWaiting);
  useEffect(() => {
    if (wasWaiting.current && !isWaiting) location.reload();
    wasWaiting.current = isWaiting;
  }, [isWaiting]);
  return (
    <div role="alert">
      <EmptyState
        icon={<IconAlertTriangle size={20} stroke={1.5} />}
        title={isWaiting ? t('frame:error.away') : isChunk ? t('frame:error.chunk') : t('errors:crashed')}
        text={isChunk ? undefined : t('errors:crashedHint')}
        action={isWaiting ? undefined : <Button onClick={() => location.reload()}>{t('common:reload')}</Button>}
      />
    </div>
  );
}
