// Shows what a subscription link returns to an app, and why: the exact headers and body by the saved rules.
import { Autocomplete, Button, NativeSelect, Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FORMATS } from '../../../../../contract/subscription/formats.ts';
import type { Output } from '../../../../../contract/table.ts';
import { KNOWN_APPS } from '../../../../../domain/subscription/known-apps.ts';
import { SectionCard } from '../../../components/page.tsx';
import { ErrorState } from '../../../components/placeholder.tsx';
import { type CallInput, useOperation } from '../../../data/use-operation.ts';
import rows from '../parts/rows.module.css';
import classes from './subscription.module.css';

const SEARCH_MS = 250;
const MAX_USERS = 20;
const BROWSER = 'text/html,application/xhtml+xml,*/*;q=0.8';

export function TryCard() {
  const { t } = useTranslation('settings');
  const [search, setSearch] = useState('');
  const [q] = useDebouncedValue(search.trim(), SEARCH_MS);
  const users = useOperation('listUsers', { limit: MAX_USERS, ...(q !== '' && { q }) }, { keepPrevious: true });
  const [user, setUser] = useState<{ readonly value: string; readonly label: string } | null>(null);
  const [userAgent, setUserAgent] = useState('');
  const [format, setFormat] = useState('');
  const [headers, setHeaders] = useState('');
  const [tried, setTried] = useState<CallInput<'trySubscription'> | null>(null);
  const found = (users.data?.items ?? []).map(({ id, name }) => ({ value: String(id), label: `${name} (${id})` }));
  const choices = user === null || found.some(({ value }) => value === user.value) ? found : [user, ...found];
  return (
    <SectionCard title={t('subscription.try.title')} description={t('subscription.try.description')}>
      <form
        className={rows.stack}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (user === null) return;
          const isBrowser = /^Mozilla\//.test(userAgent);
          setTried({
            id: Number(user.value),
            user_agent: userAgent.trim(),
            format,
            headers: parseHeaders(headers),
            ...(isBrowser && { accept: BROWSER }),
          });
        }}
      >
        <div className={classes.parts}>
          <Select
            label={t('subscription.try.user')}
            placeholder={t('subscription.try.userHint')}
            searchable
            data={choices}
            value={user?.value ?? null}
            onChange={(_value, option) => setUser(option)}
            onSearchChange={setSearch}
            filter={({ options }) => options}
            nothingFoundMessage={t('subscription.try.noUser')}
          />
          <Autocomplete
            label={t('subscription.try.agent')}
            placeholder="Happ/3.21.1"
            data={KNOWN_APPS.map((app) => app.userAgent)}
            renderOption={({ option }) => <code>{option.value}</code>}
            value={userAgent}
            onChange={setUserAgent}
            limit={MAX_USERS}
            maxLength={500}
            spellCheck={false}
          />
        </div>
        <div className={classes.parts}>
          <NativeSelect
            label={t('subscription.try.format')}
            value={format}
            onChange={(event) => setFormat(event.currentTarget.value)}
            data={[
              { value: '', label: t('subscription.try.noFormat') },
              ...FORMATS.map((one) => ({ value: one, label: `?format=${one}` })),
            ]}
          />
          <TextInput
            label={t('subscription.try.headers')}
            placeholder="x-device-os: iOS"
            value={headers}
            onChange={(event) => setHeaders(event.currentTarget.value)}
            maxLength={500}
            spellCheck={false}
          />
        </div>
        <div>
          <Button type="submit" variant="default" disabled={user === null}>
            {t('subscription.try.try')}
          </Button>
        </div>
        {tried !== null && <Answer input={tried} />}
      </form>
    </SectionCard>
  );
}

/** Parses `name: value` pairs, separated by `;`. */
function parseHeaders(text: string) {
  return text.split(';').flatMap((part) => {
    const colon = part.indexOf(':');
    const name = part.slice(0, Math.max(0, colon)).trim().toLowerCase();
    return name === '' ? [] : [{ name, value: part.slice(colon + 1).trim() }];
  });
}

function Answer({ input }: { readonly input: CallInput<'trySubscription'> }) {
  const { t } = useTranslation('settings');
  const answer = useOperation('trySubscription', input, { keepPrevious: true, staleMs: 0 });
  if (answer.error !== null)
    return <ErrorState size="small" failure={answer.error} onRetry={() => void answer.refetch()} />;
  if (answer.data === undefined) return null;
  return (
    <div className={rows.stack} role="status" aria-label={t('subscription.try.answer')}>
      <Reason answer={answer.data} />
      {answer.data.status === 200 && (
        <>
          <dl className={classes.headers}>
            {answer.data.headers.map(({ name, value }) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{readableValue(value)}</dd>
              </div>
            ))}
          </dl>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it must be scrollable by keyboard. */}
          <pre className={classes.body} tabIndex={0}>
            {readableBody(answer.data)}
          </pre>
        </>
      )}
    </div>
  );
}

function Reason({ answer: { status, format, reason, rule } }: { readonly answer: Output<'trySubscription'> }) {
  const { t } = useTranslation('settings');
  if (status !== 200)
    return <p className={classes.reason}>{t('subscription.try.refused', { name: rule?.name ?? '' })}</p>;
  return (
    <p className={classes.reason}>
      <strong>{t(`subscription.formats.${format}`)}</strong> {t(`subscription.try.reason.${reason}`)}{' '}
      {rule === null ? t('subscription.try.noRule') : t('subscription.try.rule', { name: rule.name })}
    </p>
  );
}

function decodeBase64(text: string): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(atob(text), (char) => char.charCodeAt(0)));
  } catch {
    return null;
  }
}

/** A header's value; if it is base64, also decoded. */
function readableValue(value: string): string {
  const decoded = value.startsWith('base64:') ? decodeBase64(value.slice('base64:'.length)) : null;
  return decoded === null ? value : `${value} (${decoded})`;
}

/** The body; lists of links are decoded from base64. */
function readableBody({ format, body }: Output<'trySubscription'>): string {
  return format === 'links' ? (decodeBase64(body) ?? body) : body;
}
