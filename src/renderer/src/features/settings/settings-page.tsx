// The page Settings: a list of sections, and the open one. Sections are listed in sections.ts.
import { lazy, Suspense, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Page, PageHeader } from '../../components/page.tsx';
import { useHost } from '../../data/host.ts';
import { buildHash } from '../../router/route.ts';
import { useRoute } from '../../router/router.ts';
import { useTitle } from '../../router/title.ts';
import { findDocumentation, findSection, listSections, type Section } from './sections.ts';
import classes from './settings.module.css';

const DocsPage = lazy(async () => ({ default: (await import('./docs/docs-page.tsx')).DocsPage }));
const GuidePage = lazy(async () => ({ default: (await import('./payments/guide-page.tsx')).GuidePage }));
const PlainPage = lazy(async () => ({ default: (await import('./docs/plain-page.tsx')).PlainPage }));

export function SettingsPage() {
  const path = useRoute().path.slice(1);
  const sections = listSections(useHost().kind);
  const section = findSection(sections, path);
  const documentation = findDocumentation(path);
  if (documentation === null) return <Sections sections={sections} section={section} isNamed={path.length > 0} />;
  const page = documentation === 'guides' ? <GuidePage /> : path[3] === 'plain' ? <PlainPage /> : <DocsPage />;
  return <Suspense fallback={<div aria-busy />}>{page}</Suspense>;
}

interface SectionsProps {
  readonly sections: readonly Section[];
  readonly section: Section;
  /** Whether the address names the section; else it is the first one. */
  readonly isNamed: boolean;
}

function Sections({ sections, section, isNamed }: SectionsProps) {
  const { t } = useTranslation('settings');
  useTitle(t(`sections.${section.id}`), 1);
  const current = useRef<HTMLAnchorElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: on narrow screens the list scrolls to the open section.
  useEffect(() => {
    current.current?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [section.id]);
  const nav = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  // Move the focus into a section that was opened from another page, past the list of sections.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each opened section.
  useEffect(() => {
    const at = document.activeElement;
    if (!isNamed || at === null || at === document.body || nav.current?.contains(at) || content.current?.contains(at))
      return;
    content.current?.focus({ preventScroll: true });
  }, [section.id]);
  const Content = section.component;
  return (
    <Page>
      <PageHeader title={t('title')} />
      <div className={classes.columns}>
        <nav ref={nav} className={classes.nav} aria-label={t('nav')}>
          <ul>
            {sections.map(({ id, path }) => (
              <li key={id} data-depth={path.length}>
                <a
                  ref={id === section.id ? current : undefined}
                  href={buildHash(['settings', ...path])}
                  aria-current={id === section.id ? 'page' : undefined}
                >
                  {t(`sections.${id}`)}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div ref={content} className={classes.content} tabIndex={-1} data-arrival={isNamed || undefined}>
          <Suspense fallback={<div aria-busy />}>
            <Content />
          </Suspense>
        </div>
      </div>
    </Page>
  );
}
