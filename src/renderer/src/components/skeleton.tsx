// A placeholder of the real shape while something loads; it waits 150 ms, so that quick answers never flicker.
import { useEffect, useState } from 'react';
import classes from './skeleton.module.css';

const DELAY_MS = 150;

/** Whether it has been waited for long enough to show that something loads. */
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
