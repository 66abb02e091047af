// The rules of subscription links, in the order in which they are checked.
import { Button, Switch } from '@mantine/core';
import { IconFilter, IconPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { SubscriptionRule } from '../../../../../contract/subscription/rules.ts';
import { SectionCard } from '../../../components/page.tsx';
import { EmptyState } from '../../../components/placeholder.tsx';
import { Mark } from '../../../components/state.tsx';
import { useAct } from '../../../data/use-act.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { buildHash } from '../../../router/route.ts';
import { useRoute } from '../../../router/router.ts';
import { moveRow } from '../../../state/move-row.ts';
import { MoveButtons } from '../parts/move-buttons.tsx';
import { Reading } from '../parts/parts.tsx';
import rows from '../parts/rows.module.css';
import { EditRule, NewRule, RULES_PATH } from './rule-form.tsx';
import classes from './subscription.module.css';

export function RulesCard() {
  const { t } = useTranslation('settings');
  const { path } = useRoute();
  const rules = useOperation('getSubscriptionRules', {});
  const opened = path[2] === 'rules' ? path[3] : undefined;
  return (
    <Reading title={t('subscription.rules.title')} query={rules} height={96}>
      {({ items }) => {
        const edited = items.find(({ id }) => String(id) === opened);
        return (
          <>
            <Rules rules={items} />
            {opened === 'new' && <NewRule rules={items} />}
            {edited !== undefined && <EditRule key={JSON.stringify(edited)} rules={items} rule={edited} />}
          </>
        );
      }}
    </Reading>
  );
}

function Rules({ rules }: { readonly rules: readonly SubscriptionRule[] }) {
  const { t } = useTranslation('settings');
  const save = useAct('saveSubscriptionRules');
  const add = (
    <Button component="a" href={buildHash([...RULES_PATH, 'new'])} leftSection={<IconPlus size={16} stroke={1.5} />}>
      {t('subscription.rules.add')}
    </Button>
  );
  const change = (items: readonly SubscriptionRule[]) => save.start({ items: [...items] });
  return (
    <SectionCard
      title={t('subscription.rules.title')}
      description={t('subscription.rules.description')}
      actions={rules.length > 0 ? add : undefined}
      flush
    >
      {rules.length === 0 ? (
        <EmptyState
          size="small"
          icon={<IconFilter size={20} stroke={1.5} />}
          title={t('subscription.rules.none')}
          text={t('subscription.rules.noneText')}
          action={add}
        />
      ) : (
        <ol className={rows.rows}>
          {rules.map((rule, index) => (
            <RuleRow
              key={rule.id}
              rule={rule}
              isBusy={save.isRunning}
              onSwitch={(enabled) => change(rules.with(index, { ...rule, enabled }))}
              index={index}
              count={rules.length}
              onMove={(to) => change(moveRow(rules, index, to))}
            />
          ))}
        </ol>
      )}
    </SectionCard>
  );
}

interface RowProps {
  readonly rule: SubscriptionRule;
  readonly isBusy: boolean;
  readonly onSwitch: (enabled: boolean) => void;
  readonly index: number;
  readonly count: number;
  readonly onMove: (to: number) => void;
}

function RuleRow({ rule, isBusy, onSwitch, index, count, onMove }: RowProps) {
  const { t } = useTranslation('settings');
  const { id, name, enabled, apps, requires, action, format, headers } = rule;
  const conditions = [...apps, ...requires.map((one) => `${one.name}: ${one.pattern}`)];
  return (
    <li className={rows.row}>
      <div className={rows.rowMain}>
        <span className={rows.rowName}>
          <a className={classes.name} href={buildHash([...RULES_PATH, id])}>
            {name}
          </a>
          {!enabled && <Mark>{t('subscription.rules.off')}</Mark>}
        </span>
        <span className={rows.rowFacts}>
          <span>{conditions.length === 0 ? t('subscription.rules.anyApp') : conditions.join(', ')}</span>
        </span>
        <span className={rows.rowFacts}>
          <span>
            {action === 'serve' && format !== null
              ? t('subscription.rules.gets', { format: t(`subscription.formats.${format}`) })
              : t(`subscription.rules.action.${action}`)}
          </span>
          {action !== 'refuse' && headers.length > 0 && (
            <span>{t('subscription.rules.headerCount', { count: headers.length })}</span>
          )}
        </span>
      </div>
      <div className={rows.rowActs}>
        <Switch
          aria-label={t('subscription.rules.switchOf', { name })}
          checked={enabled}
          disabled={isBusy}
          onChange={(event) => onSwitch(event.currentTarget.checked)}
        />
        <MoveButtons
          labels={{ up: t('subscription.rules.upOf', { name }), down: t('subscription.rules.downOf', { name }) }}
          index={index}
          count={count}
          isBusy={isBusy}
          onMove={onMove}
        />
      </div>
    </li>
  );
}
