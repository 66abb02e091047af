// The templates of subscription links: built-in and own ones, and which one each user gets.
import { Button, NativeSelect } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { MAX_TEMPLATE_CHOICES, type SubscriptionTemplates } from '../../../../../contract/subscription/templates.ts';
import { SectionCard } from '../../../components/page.tsx';
import { EmptyState } from '../../../components/placeholder.tsx';
import { useAct } from '../../../data/use-act.ts';
import { useOperation, useWholeList } from '../../../data/use-operation.ts';
import { buildHash } from '../../../router/route.ts';
import { useRoute } from '../../../router/router.ts';
import { moveRow } from '../../../state/move-row.ts';
import { MoveButtons } from '../parts/move-buttons.tsx';
import { Reading } from '../parts/parts.tsx';
import rows from '../parts/rows.module.css';
import { CHOICES_PATH, EditChoice, NewChoice } from './choice-form.tsx';
import classes from './subscription.module.css';
import { EditTemplate, NewTemplate, TEMPLATES_PATH } from './template-form.tsx';
import { useTemplateName } from './use-template-name.ts';

export function TemplatesCard() {
  const { t } = useTranslation('settings');
  const { path } = useRoute();
  const templates = useOperation('getSubscriptionTemplates', {});
  const [opened, source] = path[2] === 'templates' ? [path[3], path[4]] : [];
  const place = path[2] === 'template-choices' ? path[3] : undefined;
  return (
    <Reading title={t('subscription.templates.title')} query={templates} height={240}>
      {(data) => {
        const edited = data.items.find(({ id, name }) => id === opened && name !== null);
        const choice = place === undefined || place === 'new' ? undefined : data.choices[Number(place)];
        return (
          <>
            <Templates templates={data} />
            <Choices templates={data} />
            {opened === 'new' && <NewTemplate key={source} source={data.items.find(({ id }) => id === source)} />}
            {edited !== undefined && <EditTemplate key={JSON.stringify(edited)} template={edited} />}
            {place === 'new' && <NewChoice templates={data} />}
            {choice !== undefined && (
              <EditChoice key={JSON.stringify(choice)} templates={data} choice={choice} index={Number(place)} />
            )}
          </>
        );
      }}
    </Reading>
  );
}

interface TemplatesProps {
  readonly templates: SubscriptionTemplates;
}

function Templates({ templates: { items, default: chosen } }: TemplatesProps) {
  const { t } = useTranslation('settings');
  const nameOf = useTemplateName();
  const choose = useAct('chooseSubscriptionTemplate', { message: () => ({ text: t('saved') }) });
  return (
    <SectionCard
      title={t('subscription.templates.title')}
      description={t('subscription.templates.description')}
      actions={
        <Button
          component="a"
          href={buildHash([...TEMPLATES_PATH, 'new'])}
          leftSection={<IconPlus size={16} stroke={1.5} />}
        >
          {t('subscription.templates.add')}
        </Button>
      }
      flush
    >
      <div className={classes.choice}>
        <NativeSelect
          label={t('subscription.templates.default')}
          description={t('subscription.templates.defaultHint')}
          value={chosen ?? ''}
          disabled={choose.isRunning}
          onChange={(event) => choose.start({ default: event.currentTarget.value || null })}
          data={[
            { value: '', label: t('subscription.templates.usual') },
            ...items.map((one) => ({ value: one.id, label: nameOf(one) })),
          ]}
        />
      </div>
      <ul className={rows.rows}>
        {items.map((one) => (
          <li key={one.id} className={rows.row}>
            <div className={rows.rowMain}>
              <span className={rows.rowName}>
                {one.name === null ? (
                  nameOf(one)
                ) : (
                  <a className={classes.name} href={buildHash([...TEMPLATES_PATH, one.id])}>
                    {one.name}
                  </a>
                )}
              </span>
              <span className={rows.rowFacts}>
                <span>{one.name === null ? t('subscription.templates.builtIn') : t('subscription.templates.own')}</span>
              </span>
            </div>
            <div className={rows.rowActs}>
              <Button
                component="a"
                variant="default"
                href={buildHash([...TEMPLATES_PATH, 'new', one.id])}
                aria-label={t('subscription.templates.copyOf', { name: nameOf(one) })}
              >
                {t('subscription.templates.copy')}
              </Button>
            </div>
          </li>
        ))}
      </ul>
    </SectionCard>
  );
}

/** The templates of users with some plans or tags, in the order in which they are checked. */
function Choices({ templates: { items, choices } }: TemplatesProps) {
  const { t } = useTranslation('settings');
  const nameOf = useTemplateName();
  const plans = useWholeList('listTariffs', {}).data?.items ?? [];
  const save = useAct('chooseSubscriptionTemplate', { message: () => ({ text: t('saved') }) });
  const planNames = new Map(plans.map(({ id, name }) => [id, name]));
  const add = (
    <Button component="a" href={buildHash([...CHOICES_PATH, 'new'])} leftSection={<IconPlus size={16} stroke={1.5} />}>
      {t('subscription.templates.choices.add')}
    </Button>
  );
  return (
    <SectionCard
      title={t('subscription.templates.choices.title')}
      description={t('subscription.templates.choices.hint')}
      actions={choices.length > 0 && choices.length < MAX_TEMPLATE_CHOICES ? add : undefined}
      flush
    >
      {choices.length === 0 && (
        <EmptyState
          size="small"
          title={t('subscription.templates.choices.none')}
          text={t('subscription.templates.choices.noneText')}
          action={add}
        />
      )}
      <ol className={rows.rows}>
        {choices.map(({ template, tariffs, tags }, index) => {
          const found = items.find(({ id }) => id === template);
          const name = found === undefined ? template : nameOf(found);
          return (
            // The index is the key, because choices have no names.
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place in the list.
            <li key={index} className={rows.row}>
              <div className={rows.rowMain}>
                <span className={rows.rowName}>
                  <a className={classes.name} href={buildHash([...CHOICES_PATH, index])}>
                    {name}
                  </a>
                </span>
                <span className={rows.rowFacts}>
                  {tariffs.length > 0 && (
                    <span>
                      {t('subscription.templates.choices.of', {
                        plans: tariffs.map((id) => planNames.get(id) ?? `#${id}`).join(', '),
                      })}
                    </span>
                  )}
                  {tags.length > 0 && (
                    <span>{t('subscription.templates.choices.tagsOf', { tags: tags.join(', ') })}</span>
                  )}
                </span>
              </div>
              <div className={rows.rowActs}>
                <MoveButtons
                  labels={{
                    up: t('subscription.templates.choices.upOf', { name }),
                    down: t('subscription.templates.choices.downOf', { name }),
                  }}
                  index={index}
                  count={choices.length}
                  isBusy={save.isRunning}
                  onMove={(to) => save.start({ choices: [...moveRow(choices, index, to)] })}
                />
              </div>
            </li>
          );
        })}
      </ol>
    </SectionCard>
  );
}
