// A user's subscription page in the frame of a phone, as the link shows it.
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { User } from '../../../../../contract/users/users.ts';
import { ErrorState } from '../../../components/placeholder.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { useOperation } from '../../../data/use-operation.ts';
import { styleNonce } from '../../../theme/theme.ts';
import classes from './record.module.css';

export function Phone({ user: { id, name } }: { readonly user: User }) {
  const { t } = useTranslation('users');
  const page = useOperation('getSubscriptionPage', { id });
  return (
    // A scrollable preview, by keyboard too.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element needs the focus
    <section className={classes.phone} aria-label={t('link.pageOf', { name })} tabIndex={0}>
      {page.data !== undefined ? (
        <Screen html={page.data.html} title={t('link.pageOf', { name })} />
      ) : page.error !== null ? (
        <ErrorState size="small" failure={page.error} onRetry={() => void page.refetch()} />
      ) : (
        <div className={classes.phoneWaiting} aria-busy>
          <Skeleton width="60%" height={28} />
          <Skeleton width="100%" height={120} />
          <Skeleton width="100%" height={200} />
        </div>
      )}
    </section>
  );
}

/**
 * The page runs no script, loads nothing and has no links; it has this origin only so that its height can be measured. Its style needs the
 * nonce of the surrounding page, whose policy applies.
 */
function Screen({ html, title }: { readonly html: string; readonly title: string }) {
  const [height, setHeight] = useState<number>();
  const frame = useRef<HTMLIFrameElement>(null);
  return (
    <iframe
      ref={frame}
      title={title}
      sandbox="allow-same-origin"
      srcDoc={html.replace('<style>', `<style nonce="${styleNonce()}">`)}
      inert
      style={{ height }}
      onLoad={() => setHeight(frame.current?.contentDocument?.documentElement.scrollHeight)}
    />
  );
}
