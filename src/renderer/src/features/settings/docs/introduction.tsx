// The introduction of the API documentation: address, keys, chapters about all methods, and the list of methods.
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { TAGS } from '../../../../../contract/operation.ts';
import { SectionCard } from '../../../components/page.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { Mark } from '../../../components/state.tsx';
import { useOperation } from '../../../data/use-operation.ts';
import { useLocale } from '../../../i18n/use-locale.ts';
import { buildHash } from '../../../router/route.ts';
import type { Api } from '../api/use-api.ts';
import { CopyLine } from '../parts/parts.tsx';
import classes from './docs.module.css';
import { DOCS, findGroups } from './methods.ts';
import { MethodName } from './operation-view.tsx';
import { Prose } from './prose.tsx';
import { type ApiDocument, parseChapters } from './reference.ts';

interface IntroductionProps {
  readonly api: Api;
  readonly document: ApiDocument;
  /** Id of the chapter to scroll to. */
  readonly chapter: string | undefined;
}

export function Introduction({ api, document, chapter }: IntroductionProps) {
  const { t } = useTranslation('settings');
  const locale = useLocale();
  const [{ text: about } = { text: '' }, ...chapters] = parseChapters(document);
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const target = root.current?.querySelector(`[data-chapter="${CSS.escape(chapter ?? '')}"]`);
    if (target) target.scrollIntoView({ block: 'start' });
    else root.current?.closest('main')?.scrollTo({ top: 0 });
  }, [chapter]);
  return (
    <div ref={root} className={classes.introduction}>
      <p className={classes.about} lang="en">
        {about}
      </p>
      <SectionCard title={t('api.docs.place')}>
        <div className={classes.place}>
          <CopyLine value={api.baseUrl} label={t('api.copyAddress')} />
          <ActiveKeys />
        </div>
      </SectionCard>
      {chapters.map(({ id, title, text }) => (
        <section key={id} className={classes.chapter} data-chapter={id} aria-label={title} lang="en">
          <h2>{title}</h2>
          <div className={classes.prose}>
            <Prose text={text} />
          </div>
        </section>
      ))}
      <section className={classes.chapter} data-chapter="methods" aria-label={t('api.docs.methods')}>
        <h2>{t('api.docs.methods')}</h2>
        {findGroups().map(({ tag, operations }) => (
          <section key={tag} className={classes.group} aria-label={tag} lang="en">
            <h3>{tag}</h3>
            <p className={classes.hint}>{TAGS[tag]}</p>
            <ul className={classes.methods}>
              {operations.map(({ id, method, path, summary, access }) => (
                <li key={id}>
                  <MethodName method={method} />
                  <a href={buildHash([...DOCS, id])}>{summary}</a>
                  <code>{path}</code>
                  <span lang={locale}>
                    <Mark {...(access === 'full' && { tone: 'warn' as const })}>
                      {t(access === 'full' ? 'api.full' : 'api.read')}
                    </Mark>
                  </span>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </section>
    </div>
  );
}

/** The valid keys; they are managed in Settings, Security, API. */
function ActiveKeys() {
  const { t } = useTranslation('settings');
  const { data } = useOperation('listKeys', {});
  if (data === undefined) return <Skeleton width={240} />;
  const active = data.items.filter(({ state }) => state === 'active');
  return (
    <div className={classes.keys}>
      {active.length === 0 && <span className={classes.hint}>{t('api.docs.noKeys')}</span>}
      {active.map(({ id, name, prefix, access }) => (
        <span key={id} className={classes.key}>
          <span className={classes.keyName}>{name}</span>
          <code>{prefix}…</code>
          <Mark {...(access === 'full' && { tone: 'warn' as const })}>
            {t(access === 'full' ? 'api.full' : 'api.read')}
          </Mark>
        </span>
      ))}
      <a className={classes.manage} href={buildHash(DOCS.slice(0, -1))}>
        {t('api.docs.manage')}
      </a>
    </div>
  );
}
