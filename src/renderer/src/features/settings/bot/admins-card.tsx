// Settings, Telegram bot: the administrator's Telegram accounts, paired by a link that works once, and their notifications.
import { Button, Switch } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ADMIN_NOTICES, type AdminNotice, type BotAdmins } from '../../../../../contract/bot/bot-admins.ts';
import { Confirm } from '../../../components/confirm.tsx';
import { When } from '../../../components/figures.tsx';
import { SaveCard } from '../../../components/form/save-card.tsx';
import { useOperationForm } from '../../../components/form/use-operation-form.ts';
import { SectionCard } from '../../../components/page.tsx';
import { QrCode } from '../../../components/qr-code.tsx';
import { useAct } from '../../../data/use-act.ts';
import { CopyLine } from '../parts/parts.tsx';
import rows from '../parts/rows.module.css';
import classes from './notices.module.css';
import { QuietFields, type QuietValues, quietOf, quietValuesOf } from './quiet-fields.tsx';

interface Made {
  /** Accounts when the link was created: one more means that the link was used. */
  readonly known: number;
  readonly url: string;
  readonly command: string;
  readonly expires_at: string;
}

/** `isRunning`: pairing needs a running bot. */
export function AdminsCard({ admins, isRunning }: { readonly admins: BotAdmins; readonly isRunning: boolean }) {
  const { t } = useTranslation('settings');
  const [made, setMade] = useState<Made | null>(null);
  const [removing, setRemoving] = useState<BotAdmins['items'][number] | null>(null);
  const known = admins.items.length;
  const invite = useAct('inviteBotAdmin', { onDone: (link) => setMade({ ...link, known }) });
  const open = made !== null && known <= made.known ? made : null;
  const remove = useAct('removeBotAdmin', { message: () => ({ text: t('bot.admins.removed') }) });
  return (
    <SectionCard
      title={t('bot.admins.title')}
      description={t('bot.admins.description')}
      footer={
        <Button variant="default" disabled={!isRunning} loading={invite.isRunning} onClick={() => invite.start({})}>
          {t('bot.admins.pair')}
        </Button>
      }
    >
      <div className={rows.stack}>
        {known === 0 && open === null && <p className={classes.hint}>{t('bot.admins.none')}</p>}
        {known > 0 && (
          <ul className={classes.admins}>
            {admins.items.map((admin) => (
              <li key={admin.id}>
                <div className={rows.rowMain}>
                  <span className={rows.rowName}>{admin.name}</span>
                  <span className={rows.rowFacts}>
                    <span>{admin.id}</span>
                    <When at={admin.paired_at} text={(when) => t('bot.admins.since', { when })} />
                  </span>
                </div>
                <Button
                  variant="default"
                  size="compact-sm"
                  aria-label={t('bot.admins.removeName', { name: admin.name })}
                  onClick={() => setRemoving(admin)}
                >
                  {t('bot.admins.remove')}
                </Button>
              </li>
            ))}
          </ul>
        )}
        {open !== null && <Invitation made={open} />}
      </div>
      <Confirm
        isOpen={removing !== null}
        onClose={() => setRemoving(null)}
        title={t('bot.admins.removeTitle')}
        action={t('bot.admins.remove')}
        isDangerous
        onConfirm={() => (removing === null ? Promise.resolve() : remove.run({ id: removing.id }))}
      >
        <p>{t('bot.admins.removeText', { name: removing?.name ?? '' })}</p>
      </Confirm>
    </SectionCard>
  );
}

function Invitation({ made: { url, command, expires_at } }: { readonly made: Made }) {
  const { t } = useTranslation('settings');
  return (
    <div className={classes.invitation}>
      <QrCode value={url} label={t('bot.admins.qr')} size={180} />
      <div>
        <p className={classes.hint}>
          <When at={expires_at} text={(when) => t('bot.admins.hint', { when })} />
        </p>
        <a href={url} target="_blank" rel="noreferrer">
          {t('bot.admins.open')}
        </a>
        <p className={classes.hint}>{t('bot.admins.command')}</p>
        <CopyLine value={command} label={t('bot.admins.copy')} />
      </div>
    </div>
  );
}

interface Values extends Record<string, unknown>, QuietValues {
  readonly on: Readonly<Record<AdminNotice, boolean>>;
}

export function AdminNoticesCard({ admins: { on, quiet } }: { readonly admins: BotAdmins }) {
  const { t } = useTranslation('settings');
  const form = useOperationForm<'saveAdminNotices', Values>({
    operation: 'saveAdminNotices',
    initial: {
      on: Object.fromEntries(ADMIN_NOTICES.map((kind) => [kind, on.includes(kind)])) as Values['on'],
      ...quietValuesOf(quiet),
    },
    toInput: (values) => ({ on: ADMIN_NOTICES.filter((kind) => values.on[kind]), quiet: quietOf(values) }),
    message: () => ({ text: t('saved') }),
  });
  const { getInputProps, values } = form.form;
  return (
    <SaveCard title={t('bot.admins.notices')} description={t('bot.admins.noticesDescription')} form={form}>
      {ADMIN_NOTICES.map((kind) => (
        <Switch
          key={kind}
          label={t(`bot.admins.kind.${kind}`)}
          {...getInputProps(`on.${kind}`, { type: 'checkbox' })}
        />
      ))}
      <QuietFields values={values} getInputProps={getInputProps} />
    </SaveCard>
  );
}
