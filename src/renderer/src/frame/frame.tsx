// The frame around every screen: navigation, top bar, the screen, and the dialogs that every screen has.

import { Button } from '@mantine/core';
import { lazy, Suspense, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { UnsavedQuestion } from '../components/form/unsaved.tsx';
import { Page } from '../components/page.tsx';
import { EmptyState } from '../components/placeholder.tsx';
import { useHost } from '../data/host.ts';
import { buildHash } from '../router/route.ts';
import { navigate, useRoute } from '../router/router.ts';
import { useTitle } from '../router/title.ts';
import { notifyFailure } from '../state/messages.ts';
import { DropTarget } from './drop-target.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import classes from './frame.module.css';
import { NativeMenu } from './native-menu.tsx';
import { OfflineBanner } from './offline-banner.tsx';
import { useOverlay } from './overlays.ts';
import { Rail } from './rail.tsx';
import { RoleBanner } from './role-banner.tsx';
import { findContent, findScreen, RECORD } from './screens.ts';
import { TopBar } from './top-bar.tsx';
import { useFrameCommands } from './use-frame-commands.ts';

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));
const KeysDialog = lazy(async () => ({ default: (await import('./keys-dialog.tsx')).KeysDialog }));

export function Frame() {
  const { t } = useTranslation('frame');
  const { path } = useRoute();
  const screen = findScreen(path);
  const main = useRef<HTMLElement>(null);
  const overlay = useOverlay(({ open }) => open);
  useFrameCommands();
  useFocusOnArrival(main, screen?.id);
  const { record } = useHost();
  const isRecord = record !== null;
  useOwnRecord();
  const Content = isRecord ? RECORD : (findContent(path) ?? NotFound);
  return (
    <div className={classes.frame}>
      {!isRecord && (
        <>
          <nav aria-label={t('skip')}>
            <a
              className={classes.skip}
              href={buildHash(path)}
              onClick={(event) => {
                event.preventDefault();
                main.current?.focus();
              }}
            >
              {t('skip')}
            </a>
          </nav>
          <Rail />
        </>
      )}
      <div className={classes.column}>
        {!isRecord && <TopBar />}
        <OfflineBanner />
        <RoleBanner />
        <main ref={main} className={classes.main} tabIndex={-1}>
          <ErrorBoundary path={path.join('/')}>
            <Suspense fallback={<div aria-busy />}>
              <Content />
            </Suspense>
          </ErrorBoundary>
        </main>
      </div>
      <UnsavedQuestion />
      <NativeMenu />
      {!isRecord && <DropTarget />}
      <Suspense fallback={null}>
        {overlay === 'palette' && <Palette />}
        {overlay === 'keys' && <KeysDialog />}
      </Suspense>
    </div>
  );
}

/** Moves the focus to the top of a new screen, for keyboards and screen readers; not for the first screen. */
function useFocusOnArrival(main: React.RefObject<HTMLElement | null>, screen: string | undefined): void {
  const last = useRef(screen);
  useEffect(() => {
    if (last.current === screen) return;
    last.current = screen;
    main.current?.scrollTo({ top: 0 });
    // A screen can mark the element that should get the focus.
    const part = main.current?.querySelector<HTMLElement>('[data-arrival]');
    if (part?.contains(document.activeElement) !== true) (part ?? main.current)?.focus({ preventScroll: true });
  }, [main, screen]);
}

/** In a record's own window, links to other pages open in the main window. */
function useOwnRecord(): void {
  const { path } = useRoute();
  const { record, shell } = useHost();
  const address = buildHash(path);
  useEffect(() => {
    if (record === null || address === record) return;
    void shell?.openInMain(location.hash).catch(notifyFailure);
    navigate(record, { replace: true });
  }, [address, record, shell]);
}

// Shown for unknown addresses.

function NotFound() {
  const { t } = useTranslation('frame');
  useTitle(t('notFound.title'));
  return (
    <Page>
      <EmptyState
        isHeading
        title={t('notFound.title')}
        text={t('notFound.hint')}
        action={
          <Button component="a" href={buildHash(['overview'])}>
            {t('notFound.home')}
          </Button>
        }
      />
    </Page>
  );
}
