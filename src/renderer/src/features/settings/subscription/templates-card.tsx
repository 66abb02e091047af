// The templates of subscription links: which one apps get, those that come with the panel, and own ones.
import { Button, NativeSelect } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { SubscriptionTemplates } from '../../../../../contract/subscription/templates.ts';
import { SectionCard } from '../../../components/page.tsx';
import { useAct } from '../../../data/use-act.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { buildHash } from '../../../router/route.ts';
import { useRoute } from '../../../router/router.ts';
import { Reading } from '../parts/parts.tsx';
import rows from '../parts/rows.module.css';
import classes from './subscription.module.css';
import { EditTemplate, NewTemplate, TEMPLATES_PATH } from './template-form.tsx';
import { useTemplateName } from './use-template-name.ts';

export function TemplatesCard() {
  const { t } = useTranslation('settings');
  const { path } = useRoute();
  const templates = useOperation('getSubscriptionTemplates', {});
  const [opened, source] = path[2] === 'templates' ? [path[3], path[4]] : [];
  return (
    <Reading title={t('subscription.templates.title')} query={templates} height={240}>
      {(data) => {
        const edited = data.items.find(({ id, name }) => id === opened && name !== null);
        return (
          <>
            <Templates templates={data} />
            {opened === 'new' && <NewTemplate key={source} source={data.items.find(({ id }) => id === source)} />}
            {edited !== undefined && <EditTemplate key={JSON.stringify(edited)} template={edited} />}
          </>
        );
      }}
    </Reading>
  );
}

function Templates({ templates: { items, default: chosen } }: { readonly templates: SubscriptionTemplates }) {
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
          onChange={(event) => choose.start({ id: event.currentTarget.value || null })}
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
