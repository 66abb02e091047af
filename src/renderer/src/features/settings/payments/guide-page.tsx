// A guide to a payment provider, from the contract to the first sale, or to webhooks. Page `#/settings/payments/guides/<name>`.
import { IconArrowLeft } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { PROVIDER_KINDS } from '../../../../../contract/sales/providers.ts';
import { type Guide, loadGuides } from '../../../../../i18n/page-texts.ts';
import { Page, PageHeader } from '../../../components/page.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { useLocale } from '../../../i18n/use-locale.ts';
import { buildHash } from '../../../router/route.ts';
import { useRoute } from '../../../router/router.ts';
import { useTitle } from '../../../router/title.ts';
import docs from '../docs/docs.module.css';
import { Prose } from '../docs/prose.tsx';
import { buildGuideHash, PROVIDERS_PATH } from './provider-texts.ts';
import classes from './providers.module.css';

const GUIDES: readonly Guide[] = [...PROVIDER_KINDS, 'webhooks'];

export function GuidePage() {
  const { t } = useTranslation('settings');
  const locale = useLocale();
  const name = useRoute().path[3];
  const guide = GUIDES.find((one) => one === name) ?? 'stars';
  const texts = useQuery({ queryKey: ['guides', locale], queryFn: () => loadGuides(locale), staleTime: Infinity });
  const title = t(`payments.guides.${guide}`);
  useTitle(title, 1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each guide is opened at its top.
  useEffect(() => {
    document.querySelector('main')?.scrollTo({ top: 0 });
  }, [guide]);
  return (
    <Page>
      <PageHeader
        title={title}
        aside={
          <a className={docs.back} href={buildHash(PROVIDERS_PATH)}>
            <IconArrowLeft size={16} stroke={1.5} aria-hidden />
            {t('payments.title')}
          </a>
        }
      />
      <div className={classes.guide}>
        <nav aria-label={t('payments.guides.label')}>
          <ul className={classes.guideList}>
            {GUIDES.map((one) => (
              <li key={one}>
                <a
                  className={classes.guideItem}
                  href={buildGuideHash(one)}
                  aria-current={one === guide ? 'page' : undefined}
                >
                  {t(one === 'webhooks' ? 'payments.guides.webhooksShort' : `payments.kinds.${one}`)}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <article className={`${docs.prose} ${classes.guideText}`}>
          {texts.data === undefined ? <Skeleton height={400} /> : <Prose text={texts.data[guide]} />}
        </article>
      </div>
    </Page>
  );
}
