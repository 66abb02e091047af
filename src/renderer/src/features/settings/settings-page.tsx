// Settings: its sections in a second column, each with an address of its own. A new section is a line in sections.ts.
import { lazy, Suspense, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Page, PageHeader } from '../../components/page.tsx';
import { useHost } from '../../data/host.ts';
import { hashOf } from '../../router/route.ts';
import { useRoute } from '../../router/router.ts';
import { useTitle } from '../../router/title.ts';
import { findSection, isDocumentation, listSections, type Section } from './sections.ts';
import classes from './settings.module.css';

const DocsPage = lazy(async () => ({ default: (await import('./docs/docs-page.tsx')).DocsPage }));
const PlainPage = lazy(async () => ({ default: (await import('./docs/plain-page.tsx')).PlainPage }));

export function SettingsPage() {
  const path = useRoute().path.slice(1);
  const sections = listSections(useHost().kind);
  if (!isDocumentation(path)) return <Sections sections={sections} section={findSection(sections, path)} />;
  return <Suspense fallback={null}>{path[3] === 'plain' ? <PlainPage /> : <DocsPage />}</Suspense>;
}

interface SectionsProps {
  readonly sections: readonly Section[];
  readonly section: Section;
}

function Sections({ sections, section }: SectionsProps) {
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
            {sections.map(({ id, path }) => (
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
