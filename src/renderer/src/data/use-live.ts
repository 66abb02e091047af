// Follows the panel's events while the page is visible, so that others' changes appear without a reload.
import { useEffect } from 'react';
import { setLive } from '../state/connection.ts';
import { markSessionEnded } from '../state/session.ts';
import { tagOfEvent } from './cache-tags.ts';
import { usePanel } from './panel.tsx';

/** A hidden page closes its connection after this long, ms: a browser allows six to a host, in all tabs together. */
const HIDDEN_MS = 20_000;

/** Watches while `isOn`. */
export function useLive(isOn: boolean): void {
  const { transport, invalidate } = usePanel();
  useEffect(() => {
    if (!isOn) return;
    let end: (() => void) | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const start = () => {
      clearTimeout(timer);
      end ??= transport.watch({
        onEvent: ({ type }) => invalidate(tagOfEvent(type)),
        onGap: () => invalidate(),
        onLive: setLive,
        onSignedOut: markSessionEnded,
      });
    };
    const stop = () => {
      end?.();
      end = null;
      setLive(false);
    };
    const onVisibility = () => {
      if (document.visibilityState === 'visible') start();
      else timer = setTimeout(stop, HIDDEN_MS);
    };
    if (document.visibilityState === 'visible') start();
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      document.removeEventListener('visibilitychange', onVisibility);
      clearTimeout(timer);
      stop();
    };
  }, [isOn, transport, invalidate]);
}
