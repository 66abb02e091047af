// The page behind the link to a new listening address. It confirms the address at once: that it loads proves that the address works.
import { Button } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconClock } from '@tabler/icons-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PanelCallError } from '../../../../../contract/client.ts';
import type { Addresses } from '../../../../../contract/settings/addresses.ts';
import { Page, PageHeader } from '../../../components/page.tsx';
import { EmptyState } from '../../../components/placeholder.tsx';
import { useAct } from '../../../data/use-act.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { buildHash } from '../../../router/route.ts';
import { useRoute } from '../../../router/router.ts';
import { CopyLine } from '../parts/parts.tsx';
import { useSecondsLeft, waitFor } from './trial.tsx';

const SETTINGS = buildHash(['settings', 'addresses']);

/** Page `#/confirm/<token>`. */
export function ConfirmPage() {
  const { t } = useTranslation('settings');
  const token = useRoute().path[1] ?? '';
  const { data: addresses } = useOperation('getAddresses', {});
  const { outcome, failure, confirm } = useConfirmation(token);
  const endsAt = addresses?.confirm_by ?? null;
  const left = useSecondsLeft(outcome === null && endsAt !== null ? Date.parse(endsAt) : null);
  const back = (
    <Button component="a" href={SETTINGS}>
      {t('addresses.confirm.back')}
    </Button>
  );
  return (
    <Page>
      <PageHeader title={t('addresses.confirm.title')} />
      <div role="status">
        {outcome === null && failure === null && (
          <EmptyState
            icon={<IconClock size={20} stroke={1.5} />}
            title={t('addresses.confirm.confirming')}
            text={left > 0 ? t('addresses.confirm.left', { count: left }) : undefined}
          />
        )}
        {outcome !== null && (
          <EmptyState
            icon={<IconCircleCheck size={20} stroke={1.5} />}
            title={t('addresses.confirm.done')}
            text={
              <>
                {t('addresses.confirm.doneText')}
                <CopyLine value={outcome.base_url} label={t('addresses.now.copyApi')} />
              </>
            }
            action={back}
          />
        )}
        {failure !== null && (
          <EmptyState
            icon={<IconAlertTriangle size={20} stroke={1.5} />}
            title={t('addresses.confirm.failed')}
            text={
              left > 0
                ? `${t('addresses.confirm.failedText')} ${t('addresses.confirm.left', { count: left })}`
                : t('addresses.confirm.failedText')
            }
            action={
              <>
                {left > 0 && (
                  <Button variant="default" onClick={confirm}>
                    {t('addresses.confirm.retry')}
                  </Button>
                )}
                {back}
              </>
            }
          />
        )}
      </div>
    </Page>
  );
}

// Confirms a new listening address once, when this page has loaded.

export interface Confirmation {
  /** The new addresses; null until confirmed. */
  readonly outcome: Addresses | null;
  readonly failure: PanelCallError | null;
  confirm(): void;
}

export function useConfirmation(token: string): Confirmation {
  const [outcome, setOutcome] = useState<Addresses | null>(null);
  const [failure, setFailure] = useState<PanelCallError | null>(null);
  const { run } = useAct('confirmAddresses');
  const lastToken = useRef('');
  const confirm = useCallback(() => {
    setFailure(null);
    run({ token }).then(
      (addresses) => {
        waitFor(null);
        setOutcome(addresses);
      },
      (reason: unknown) => {
        if (reason instanceof PanelCallError) setFailure(reason);
      },
    );
  }, [run, token]);
  useEffect(() => {
    if (lastToken.current === token) return;
    lastToken.current = token;
    confirm();
  }, [token, confirm]);
  return { outcome, failure, confirm };
}
