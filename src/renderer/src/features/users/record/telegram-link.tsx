// The link by which a user links a Telegram account: created on request, shown as text and QR code, usable once.
import { Button } from '@mantine/core';
import { IconBrandTelegram, IconSend } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { User } from '../../../../../contract/users/users.ts';
import { HOUR_MS } from '../../../../../domain/limits.ts';
import { CopyButton } from '../../../components/copy-button.tsx';
import { When } from '../../../components/figures.tsx';
import { QrCode } from '../../../components/qr-code.tsx';
import { useAct } from '../../../data/use-act.ts';
import { useOperation } from '../../../data/use-operation.ts';
import classes from './record.module.css';

/** Renders nothing if no bot runs. */
export function TelegramLink({ user: { id, name, telegram_id } }: { readonly user: User }) {
  const { t } = useTranslation('users');
  const bot = useOperation('getBot', {}, { staleMs: HOUR_MS });
  const [made, setMade] = useState<{ readonly url: string; readonly expires_at: string } | null>(null);
  const invite = useAct('inviteToBot', { onDone: setMade });
  const send = useAct('sendUserLink', { message: () => ({ text: t('link.sent', { name }) }) });
  if (bot.data?.account == null || !bot.data.enabled) return null;
  if (made === null) {
    return (
      <div className={classes.telegram}>
        <Button
          variant="default"
          leftSection={<IconBrandTelegram size={16} stroke={1.5} />}
          loading={invite.isRunning}
          onClick={() => invite.start({ user_id: id })}
        >
          {t(telegram_id === null ? 'link.telegram' : 'link.telegramOther')}
        </Button>
        {telegram_id !== null && (
          <Button
            variant="default"
            leftSection={<IconSend size={16} stroke={1.5} />}
            loading={send.isRunning}
            onClick={() => send.start({ user_id: id })}
          >
            {t('link.send')}
          </Button>
        )}
      </div>
    );
  }
  return (
    <div className={classes.telegram}>
      <div className={classes.link}>
        <code className={classes.linkText} title={made.url}>
          {made.url}
        </code>
        <CopyButton value={made.url} label={t('link.telegramCopy')} />
      </div>
      <div className={classes.qr}>
        <QrCode value={made.url} label={t('link.telegramQr', { name })} size={220} />
        <p>
          <When at={made.expires_at} text={(when) => t('link.telegramHint', { when })} />
        </p>
      </div>
    </div>
  );
}
