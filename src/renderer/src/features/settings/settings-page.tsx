// Settings: its sections in a second column, each with an address of its own. A new section is a line in sections.ts.
import { lazy, Suspense, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Page, PageHeader } from '../../components/page.tsx';
import { hashOf } from '../../router/place.ts';
import { usePlace } from '../../router/router.ts';
import { useTitle } from '../../router/title.ts';
import { isDocumentation, SECTIONS, type Section, sectionOf } from './sections.ts';
import classes from './settings.module.css';

const DocsPage = lazy(async () => ({ default: (await import('./docs/docs-page.tsx')).DocsPage }));

export function SettingsPage() {
  const path = usePlace().path.slice(1);
  if (!isDocumentation(path)) return <Sections section={sectionOf(path)} />;
  return (
    <Suspense fallback={null}>
      <DocsPage />
    </Suspense>
  );
}

function Sections({ section }: { readonly section: Section }) {
  const { t } = useTranslation('settings');
  useTitle(t(`sections.${section.id}`), 1);
  const current = useRef<HTMLAnchorElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: on a narrow screen the row of sections follows the one that is open.
  useEffect(() => {
    current.current?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [section.id]);
  const Content = section.component;
  return (
    <Page>
      <PageHeader title={t('title')} />
      <div className={classes.columns}>
        <nav className={classes.nav} aria-label={t('nav')}>
          <ul>
            {SECTIONS.map(({ id, path }) => (
              <li key={id} data-depth={path.length}>
                <a
                  ref={id === section.id ? current : undefined}
                  href={hashOf(['settings', ...path])}
                  aria-current={id === section.id ? 'page' : undefined}
                >
                  {t(`sections.${id}`)}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div className={classes.content}>
          <Suspense fallback={null}>
            <Content />
          </Suspense>
        </div>
      </div>
    </Page>
  );
}
