// Follows the panel's events while the page is on screen: what another hand changes appears without a reload.
import { useEffect } from 'react';
import { noteLive } from '../state/connection.ts';
import { noteSessionEnd } from '../state/session.ts';
import { nounOfEvent } from './nouns.ts';
import { usePanel } from './panel.tsx';

/** A page out of sight gives its connection back after this long: a browser has six for a host, all its tabs together. */
const HIDDEN_MS = 20_000;

/** Watches while `isOn`. */
export function useLive(isOn: boolean): void {
  const { transport, touch } = usePanel();
  useEffect(() => {
    if (!isOn) return;
    let end: (() => void) | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const start = () => {
      clearTimeout(timer);
      end ??= transport.watch({
        onEvent: ({ type }) => touch(nounOfEvent(type)),
        onGap: () => touch(),
        onLive: noteLive,
        onSignedOut: noteSessionEnd,
      });
    };
    const stop = () => {
      end?.();
      end = null;
      noteLive(false);
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
  }, [isOn, transport, touch]);
}
