// Chooses between setup, sign-in and the panel. When a session ends, the sign-in appears over the page, which keeps its state.
import { lazy, Suspense, useEffect } from 'react';
import { ErrorState } from './components/placeholder.tsx';
import { useLive } from './data/use-live.ts';
import { useOperation } from './data/use-operation.ts';
import { FormatProvider } from './format/use-format.tsx';
import { Frame } from './frame/frame.tsx';
import { buildHash } from './router/route.ts';
import { currentRoute, navigate, useRoute } from './router/router.ts';
import { setProductTitle } from './router/title.ts';
import { beginSession, useSession } from './state/session.ts';

const loadSignIn = () => import('./features/access/sign-in.tsx');
const SignIn = lazy(async () => ({ default: (await loadSignIn()).SignIn }));
const SetUp = lazy(async () => ({ default: (await import('./features/access/set-up.tsx')).SetUp }));

export function Root() {
  const state = useOperation('panelState', {});
  const { path } = useRoute();
  const { hasBegun, hasEnded } = useSession();
  const isSignedIn = state.data?.signed_in !== null && state.data !== undefined;
  const isSettingUp = path[0] === 'setup';

  const title = state.data?.panel_title;
  useEffect(() => {
    if (title !== undefined) setProductTitle(title);
  }, [title]);
  useEffect(() => {
    if (!isSignedIn) return;
    beginSession();
    // Preloads the sign-in, as a session may end while the panel does not answer; a failure is retried later.
    loadSignIn().catch(() => {});
  }, [isSignedIn]);
  useEffect(() => {
    // A used setup link leads to the panel; the second step of setup stays.
    if (isSignedIn && currentRoute().path[0] === 'setup' && currentRoute().path[1] !== 'done')
      navigate(buildHash([]), { replace: true });
  }, [isSignedIn]);

  if (state.data === undefined) {
    return state.error === null ? null : <ErrorState failure={state.error} onRetry={() => void state.refetch()} />;
  }
  const isWelcome = path[1] === 'done' ? isSignedIn : !isSignedIn && !hasBegun;
  if (!state.data.set_up || (isSettingUp && isWelcome)) {
    return (
      <Suspense fallback={null}>
        <SetUp />
      </Suspense>
    );
  }
  if (!hasBegun) {
    return isSignedIn ? null : (
      <Suspense fallback={null}>
        <SignIn />
      </Suspense>
    );
  }
  return (
    <>
      <SignedIn isLocked={hasEnded} />
      <Suspense fallback={null}>{hasEnded && <SignIn isOverlay />}</Suspense>
    </>
  );
}

/** The panel itself. While it is locked, nothing of it is visible or accessible, not even to assistive technology. */
function SignedIn({ isLocked }: { readonly isLocked: boolean }) {
  const { data } = useOperation('getSettings', {}, { staleMs: Number.POSITIVE_INFINITY });
  useLive(!isLocked);
  useEffect(() => {
    document.documentElement.toggleAttribute('data-locked', isLocked);
    return () => document.documentElement.removeAttribute('data-locked');
  }, [isLocked]);
  return (
    <FormatProvider timeZone={data?.time_zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone}>
      <div className="locks" inert={isLocked}>
        <Frame />
      </div>
    </FormatProvider>
  );
}
