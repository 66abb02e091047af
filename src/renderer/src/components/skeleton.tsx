// A skeleton of the content while it loads; it appears after 150 ms, so that quick answers do not flicker.
import { useEffect, useState } from 'react';
import classes from './skeleton.module.css';

const DELAY_MS = 150;

/** Whether loading has lasted long enough to show it. */
export function useIsSlow(isLoading: boolean): boolean {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    if (!isLoading) {
      setSlow(false);
      return;
    }
    const timer = setTimeout(() => setSlow(true), DELAY_MS);
    return () => clearTimeout(timer);
  }, [isLoading]);
  return isLoading && isSlow;
}

interface SkeletonProps {
  readonly width?: number | string;
  readonly height?: number | string;
  readonly round?: boolean;
}

export function Skeleton({ width = '100%', height = 12, round = false }: SkeletonProps) {
  return <span className={classes.bone} data-round={round || undefined} style={{ width, height }} aria-hidden />;
}
