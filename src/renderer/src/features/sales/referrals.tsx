// Referrals: the rewards for inviting friends, and their results.
import { Switch } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Referrals as Rules } from '../../../../contract/sales/referrals.ts';
import { DateTime } from '../../components/figures.tsx';
import { FieldRow } from '../../components/form/form-drawer.tsx';
import { SaveCard } from '../../components/form/save-card.tsx';
import { useOperationForm } from '../../components/form/use-operation-form.ts';
import { WholeNumberInput } from '../../components/form/whole-number-input.tsx';
import { SectionCard } from '../../components/page.tsx';
import { ErrorState } from '../../components/placeholder.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useOperation } from '../../data/use-operation.ts';
import { useFormat } from '../../format/use-format.tsx';
import { buildHash } from '../../router/route.ts';
import classes from './sales.module.css';

type Reward = Rules['rewards'][number];

/** Page `#/sales/referrals`. */
export function Referrals() {
  const rules = useOperation('getReferrals', {});
  if (rules.data === undefined) {
    if (rules.error === null) return <Skeleton height={220} />;
    return <ErrorState failure={rules.error} onRetry={() => void rules.refetch()} />;
  }
  return (
    <>
      <RulesCard rules={rules.data} />
      <Figures rules={rules.data} />
      <Rewards rules={rules.data} />
    </>
  );
}

function RulesCard({ rules: { on, referrer_days, friend_days, most_per_month } }: { readonly rules: Rules }) {
  const { t } = useTranslation('sales');
  const bot = useOperation('getBot', {});
  const form = useOperationForm<'saveReferrals', Record<string, unknown>>({
    operation: 'saveReferrals',
    initial: { on, referrer_days, friend_days, most_per_month },
    toInput: (values) => values as never,
    message: () => ({ text: t('referral.saved') }),
  });
  const field = (name: 'referrer_days' | 'friend_days' | 'most_per_month') => form.form.getInputProps(name);
  return (
    <SaveCard title={t('referral.title')} description={t('referral.hint')} form={form}>
      <Switch label={t('referral.on')} {...form.form.getInputProps('on', { type: 'checkbox' })} />
      {bot.data?.account === null && (
        <p className={classes.quiet}>
          {t('referral.needsBot')} <a href={buildHash(['settings', 'bot'])}>{t('referral.toBot')}</a>
        </p>
      )}
      <FieldRow>
        <WholeNumberInput label={t('referral.referrerDays')} min={0} max={365} {...field('referrer_days')} />
        <WholeNumberInput label={t('referral.friendDays')} min={0} max={365} {...field('friend_days')} />
      </FieldRow>
      <WholeNumberInput
        label={t('referral.most')}
        description={t('referral.maxHint')}
        min={1}
        max={1000}
        {...field('most_per_month')}
      />
    </SaveCard>
  );
}

function Figures({ rules: { opened, rewarded } }: { readonly rules: Rules }) {
  const { t } = useTranslation('sales');
  const format = useFormat();
  return (
    <section className={classes.figures} aria-label={t('tabs.referrals')}>
      {(
        [
          ['opened', opened],
          ['rewarded', rewarded],
        ] as const
      ).map(([name, count]) => (
        <div key={name} className={classes.figure}>
          <span className={classes.figureLabel}>{t(`referral.${name}`)}</span>
          <span className={classes.figureValue}>{format.number(count)}</span>
          <span className={classes.figureNote}>{t('referral.in30')}</span>
        </div>
      ))}
    </section>
  );
}

function Rewards({ rules: { rewards } }: { readonly rules: Rules }) {
  const { t } = useTranslation('sales');
  const person = (who: Reward['friend']) =>
    who === null ? (
      <span className={classes.quiet}>{t('referral.deleted')}</span>
    ) : (
      <a className={classes.link} href={buildHash(['users', who.id])}>
        {who.name}
      </a>
    );
  return (
    <SectionCard title={t('referral.list')} flush={rewards.length > 0}>
      {rewards.length === 0 ? (
        <p className={classes.quiet}>{t('referral.none')}</p>
      ) : (
        <table className={classes.rewards}>
          <thead>
            <tr>
              {(['friend', 'referrer', 'order', 'at'] as const).map((name) => (
                <th key={name} scope="col" className={classes.rewardCell}>
                  {t(`referral.columns.${name}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rewards.map(({ order_id, friend, referrer, rewarded_at }) => (
              <tr key={order_id}>
                <th scope="row" className={classes.rewardCell}>
                  {person(friend)}
                </th>
                <td className={classes.rewardCell}>{person(referrer)}</td>
                <td className={classes.rewardCell}>{t('order.number', { id: order_id })}</td>
                <td className={classes.rewardCell}>
                  <DateTime at={rewarded_at} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </SectionCard>
  );
}
