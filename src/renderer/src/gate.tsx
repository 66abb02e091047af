// Decides what one may see: setup, sign-in, or the panel. A session that ends asks for sign-in over the page, which stays as it was.
import { lazy, Suspense, useEffect } from 'react';
import { ErrorState } from './components/placeholder.tsx';
import { useLive } from './data/use-live.ts';
import { useOperation } from './data/use-operation.ts';
import { SignIn } from './features/access/sign-in.tsx';
import { FormatProvider } from './format/use-format.tsx';
import { Frame } from './frame/frame.tsx';
import { hashOf } from './router/place.ts';
import { currentPlace, go, usePlace } from './router/router.ts';
import { nameProduct } from './router/title.ts';
import { beginSession, useSession } from './state/session.ts';

const SetUp = lazy(async () => ({ default: (await import('./features/access/set-up.tsx')).SetUp }));

export function Gate() {
  const state = useOperation('panelState', {});
  const { path } = usePlace();
  const { hasBegun, hasEnded } = useSession();
  const isSignedIn = state.data?.signed_in !== null && state.data !== undefined;
  const isSettingUp = path[0] === 'setup';

  const title = state.data?.panel_title;
  useEffect(() => {
    if (title !== undefined) nameProduct(title);
  }, [title]);
  useEffect(() => {
    if (isSignedIn) beginSession();
  }, [isSignedIn]);
  useEffect(() => {
    // A setup link that has done its work leads nowhere any more; the second step of setup stays.
    if (isSignedIn && currentPlace().path[0] === 'setup' && currentPlace().path[1] !== 'done')
      go(hashOf([]), { replace: true });
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
  if (!hasBegun) return isSignedIn ? null : <SignIn />;
  return (
    <>
      <Within isLocked={hasEnded} />
      {hasEnded && <SignIn isOver />}
    </>
  );
}

/** The panel itself. While it is locked nothing of it can be seen, heard or reached. */
function Within({ isLocked }: { readonly isLocked: boolean }) {
  const { data } = useOperation('getSettings', {}, { fresh: Number.POSITIVE_INFINITY });
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
