// The drawer of a webhook: its state, actions and deliveries.
import { Button } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../../../../contract/table.ts';
import type { Webhook } from '../../../../../contract/webhooks.ts';
import { ActMenu } from '../../../components/acts/act-menu.tsx';
import { Confirm } from '../../../components/confirm.tsx';
import { DateTime, When } from '../../../components/figures.tsx';
import { EmptyState } from '../../../components/placeholder.tsx';
import { DrawerSection, Fact, Facts, RecordDrawer } from '../../../components/record-drawer.tsx';
import { StateBadge } from '../../../components/state.tsx';
import { useAct } from '../../../data/use-act.ts';
import { buildHash } from '../../../router/route.ts';
import { leave } from '../../../router/router.ts';
import { CopyLine, Notice } from '../parts/parts.tsx';
import { Deliveries } from './deliveries.tsx';
import { EditWebhook, SecretDrawer } from './webhook-form.tsx';
import { describeWebhook, getWebhookName, WEBHOOKS_PATH } from './webhook-texts.ts';
import classes from './webhooks.module.css';

interface WebhookDrawerProps {
  readonly isOpen: boolean;
  /** undefined: no webhook has this id. */
  readonly found: Webhook | undefined;
}

/** Page `#/settings/security/webhooks/<id>`. */
export function WebhookDrawer({ isOpen, found }: WebhookDrawerProps) {
  const { t } = useTranslation('settings');
  const close = () => leave(buildHash(WEBHOOKS_PATH));
  // Keep the content while the drawer closes.
  const [shown, setShown] = useState(found);
  if (found !== undefined && found !== shown) setShown(found);
  const webhook = isOpen ? found : shown;
  if (webhook !== undefined) return <Record key={webhook.id} webhook={webhook} isOpen={isOpen} onClose={close} />;
  return (
    <RecordDrawer isOpen={isOpen} onClose={close} title={t('webhooks.title')}>
      <EmptyState size="small" title={t('webhooks.record.gone')} text={t('webhooks.record.goneHint')} />
    </RecordDrawer>
  );
}

type Doing = 'edit' | 'rotate' | 'delete' | null;

interface RecordProps {
  readonly webhook: Webhook;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function Record({ webhook, isOpen, onClose }: RecordProps) {
  const { t } = useTranslation('settings');
  const [doing, setDoing] = useState<Doing>(null);
  const [rotated, setRotated] = useState<Output<'rotateWebhookSecret'> | null>(null);
  const { id, url, enabled } = webhook;
  const look = describeWebhook(webhook);
  const test = useAct('testWebhook', { message: () => ({ text: t('webhooks.record.tested') }) });
  const rotate = useAct('rotateWebhookSecret', { onDone: setRotated });
  const remove = useAct('deleteWebhook', {
    message: () => ({ text: t('webhooks.record.deleted') }),
    onDone: onClose,
  });
  if (rotated !== null) return <SecretDrawer made={rotated} isOpen onClose={() => setRotated(null)} />;
  const actions = (
    <>
      <Button
        variant="default"
        leftSection={<IconSend size={16} stroke={1.5} />}
        disabled={!enabled}
        onClick={() => test.start({ id })}
      >
        {t('webhooks.record.test')}
      </Button>
      <Menu webhook={webhook} onDoing={setDoing} />
    </>
  );
  return (
    <>
      <RecordDrawer
        isOpen={isOpen}
        onClose={onClose}
        title={getWebhookName(webhook)}
        subtitle={<StateBadge state={look.state} label={t(look.text)} />}
        actions={actions}
      >
        <About webhook={webhook} />
        <Deliveries webhook={webhook} />
      </RecordDrawer>
      {doing === 'edit' && <EditWebhook webhook={webhook} onClose={() => setDoing(null)} />}
      <Confirm
        isOpen={doing === 'rotate'}
        onClose={() => setDoing(null)}
        title={t('webhooks.rotate.act')}
        action={t('webhooks.rotate.act')}
        onConfirm={() => rotate.run({ id })}
      >
        <p>{t('webhooks.rotate.text')}</p>
      </Confirm>
      <Confirm
        isOpen={doing === 'delete'}
        onClose={() => setDoing(null)}
        title={t('webhooks.record.deleteTitle')}
        action={t('webhooks.record.delete')}
        isDangerous
        onConfirm={() => remove.run({ id })}
      >
        <p>{t('webhooks.record.deleteText', { url })}</p>
      </Confirm>
    </>
  );
}

interface MenuProps {
  readonly webhook: Webhook;
  readonly onDoing: (doing: Doing) => void;
}

function Menu({ webhook: { id, enabled }, onDoing }: MenuProps) {
  const { t } = useTranslation('settings');
  const enable = useAct('enableWebhook', {
    message: (after) => ({ text: t(after.enabled ? 'webhooks.record.enabled' : 'webhooks.record.disabled') }),
  });
  return (
    <ActMenu
      label={t('webhooks.record.more')}
      acts={{
        'webhooks.edit': () => onDoing('edit'),
        'webhooks.rotate': () => onDoing('rotate'),
        [enabled ? 'webhooks.disable' : 'webhooks.enable']: () => enable.start({ id, enabled: !enabled }),
        'webhooks.delete': () => onDoing('delete'),
      }}
    />
  );
}

function About({ webhook }: { readonly webhook: Webhook }) {
  const { t } = useTranslation('settings');
  const { url, types, allow_private, has_secret, enabled, created_at, previous_secret_ends_at: ends } = webhook;
  return (
    <DrawerSection title={t('webhooks.record.about')}>
      <Facts>
        <Fact label={t('webhooks.record.url')}>
          <CopyLine value={url} label={t('webhooks.record.copyUrl')} />
        </Fact>
        <Fact label={t('webhooks.record.events')}>{types === null ? t('webhooks.allTypes') : types.join(', ')}</Fact>
        {ends !== null && (
          <Fact label={t('webhooks.record.previous')}>
            <When at={ends} style="exact" text={(when) => t('webhooks.record.previousUntil', { when })} />
          </Fact>
        )}
        <Fact label={t('webhooks.record.created')}>
          <DateTime at={created_at} />
        </Fact>
      </Facts>
      <div className={classes.notices}>
        {allow_private && <Notice tone="info">{t('webhooks.record.private')}</Notice>}
        {!has_secret && <Notice tone="warn">{t('webhooks.record.noSecret')}</Notice>}
        {!enabled && <Notice tone="warn">{t('webhooks.record.stopped')}</Notice>}
      </div>
    </DrawerSection>
  );
}
