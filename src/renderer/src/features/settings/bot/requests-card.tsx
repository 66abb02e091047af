// Settings, Telegram bot: whether strangers can request access, and the open requests.
import { Button, Select, Switch } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { BotRequests } from '../../../../../contract/bot/bot-requests.ts';
import { When } from '../../../components/figures.tsx';
import { SaveCard } from '../../../components/form/save-card.tsx';
import { useOperationForm } from '../../../components/form/use-operation-form.ts';
import { useAct } from '../../../data/use-act.ts';
import { useWholeList } from '../../../data/use-operation.ts';
import rows from '../parts/rows.module.css';
import classes from './notices.module.css';

export function RequestsCard({ requests }: { readonly requests: BotRequests }) {
  const { t } = useTranslation('settings');
  const { on, buys_first, items } = requests;
  const form = useOperationForm<'saveBotRequests', Record<string, unknown>>({
    operation: 'saveBotRequests',
    initial: { on, buys_first },
    toInput: (values) => values as never,
    message: () => ({ text: t('saved') }),
  });
  const { getInputProps } = form.form;
  return (
    <SaveCard title={t('bot.requests.title')} description={t('bot.requests.description')} form={form}>
      <Switch label={t('bot.requests.on')} {...getInputProps('on', { type: 'checkbox' })} />
      <Switch
        label={t('bot.requests.buysFirst')}
        description={t('bot.requests.buysFirstHint')}
        {...getInputProps('buys_first', { type: 'checkbox' })}
      />
      {items.length === 0 ? (
        on && <p className={classes.hint}>{t('bot.requests.none')}</p>
      ) : (
        <ul className={classes.admins} aria-label={t('bot.requests.waiting')}>
          {items.map((request) => (
            <Request key={request.telegram_id} request={request} />
          ))}
        </ul>
      )}
    </SaveCard>
  );
}

function Request({ request: { telegram_id: id, name, asked_at } }: { readonly request: BotRequests['items'][number] }) {
  const { t } = useTranslation('settings');
  const plans = useWholeList('listTariffs', { archived: false });
  const [chosen, setChosen] = useState<string | null>(null);
  const decide = useAct('decideBotRequest', {
    message: ({ user_id }) => ({
      text: t(user_id === null ? 'bot.requests.refused' : 'bot.requests.accepted', { name }),
    }),
  });
  const data = plans.data?.items.map((plan) => ({ value: String(plan.id), label: plan.name })) ?? [];
  const plan = chosen ?? data[0]?.value ?? null;
  return (
    <li>
      <div className={rows.rowMain}>
        <span className={rows.rowName}>{name}</span>
        <span className={rows.rowFacts}>
          <span>{id}</span>
          <When at={asked_at} text={(when) => t('bot.requests.since', { when })} />
        </span>
      </div>
      <span className={rows.rowActs}>
        <Select
          size="xs"
          w={160}
          aria-label={t('bot.requests.plan', { name })}
          data={data}
          allowDeselect={false}
          comboboxProps={{ shadow: 'none' }}
          value={plan}
          onChange={setChosen}
        />
        <Button
          size="compact-sm"
          disabled={plan === null}
          loading={decide.isRunning}
          aria-label={t('bot.requests.acceptName', { name })}
          onClick={() => decide.start({ telegram_id: id, tariff_id: Number(plan) })}
        >
          {t('bot.requests.accept')}
        </Button>
        <Button
          variant="default"
          size="compact-sm"
          aria-label={t('bot.requests.refuseName', { name })}
          onClick={() => decide.start({ telegram_id: id, tariff_id: null })}
        >
          {t('bot.requests.refuse')}
        </Button>
      </span>
    </li>
  );
}
