// Settings, Telegram bot: the notices that users receive, quiet hours, and the text of each notice with a preview.
import { SegmentedControl, Switch, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  type BotNotices,
  MAX_NOTICE,
  NOTICE_FIELDS,
  type NoticeField,
  USER_NOTICES,
  type UserNotice,
  unknownField,
} from '../../../../../contract/bot/bot-notices.ts';
import { fillNotice } from '../../../../../domain/users/user-notices.ts';
import { withoutYearMark } from '../../../../../i18n/dates.ts';
import { LANGUAGES, type Language, languageEntry } from '../../../../../i18n/languages.ts';
import { SaveCard } from '../../../components/form/save-card.tsx';
import { useOperationForm } from '../../../components/form/use-operation-form.ts';
import classes from './notices.module.css';
import { QuietFields, type QuietValues, quietOf, quietValuesOf } from './quiet-fields.tsx';

interface Values extends Record<string, unknown>, QuietValues {
  readonly on: Readonly<Record<UserNotice, boolean>>;
  /** By language and notice; empty: the default text. */
  readonly texts: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

function toFormValues({ on, quiet, texts }: BotNotices): Values {
  const own: Record<string, Record<string, string>> = {};
  for (const { kind, language, text } of texts) own[language] = { ...own[language], [kind]: text ?? '' };
  return {
    on: Object.fromEntries(USER_NOTICES.map((kind) => [kind, on.includes(kind)])) as Values['on'],
    ...quietValuesOf(quiet),
    texts: own,
  };
}

/** The input of the operation; only changed texts are included. */
function buildInput({ on, texts, ...quiet }: Values, before: BotNotices) {
  const changed = before.texts.flatMap(({ kind, language, text }) => {
    const typed = (texts[language]?.[kind] ?? '').trim();
    return typed === (text ?? '') ? [] : [{ kind, language, text: typed === '' ? null : typed }];
  });
  return {
    on: USER_NOTICES.filter((kind) => on[kind]),
    quiet: quietOf(quiet),
    ...(changed.length > 0 && { texts: changed }),
  };
}

/** Values of an invented user for the preview. */
function buildSample(language: Language): Readonly<Record<NoticeField, string>> {
  const { tag } = languageEntry(language);
  const day = new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeZone: 'UTC' });
  const gigabytes = (count: number) => new Intl.NumberFormat(tag, { style: 'unit', unit: 'gigabyte' }).format(count);
  return {
    name: 'Anna',
    service: 'VPN',
    days: new Intl.NumberFormat(tag, { style: 'unit', unit: 'day', unitDisplay: 'long' }).format(3),
    end: withoutYearMark(day.format(Date.UTC(2027, 4, 14))),
    used: gigabytes(41),
    total: gigabytes(50),
    left: gigabytes(9),
  };
}

export function NoticesCard({ notices }: { readonly notices: BotNotices }) {
  const { t, i18n } = useTranslation('settings');
  const [language, setLanguage] = useState<Language>(
    () => LANGUAGES.find(({ code }) => code === i18n.language)?.code ?? LANGUAGES[0].code,
  );
  const form = useOperationForm<'saveBotNotices', Values>({
    operation: 'saveBotNotices',
    initial: toFormValues(notices),
    toInput: (values) => buildInput(values, notices),
    check: ({ texts }): Record<string, string> => {
      const wrong: Record<string, string> = {};
      for (const { kind, language: code } of notices.texts) {
        const field = unknownField(texts[code]?.[kind] ?? '');
        if (field !== null) wrong[`texts.${code}.${kind}`] = t('bot.notices.unknownField', { field: `{{${field}}}` });
      }
      return wrong;
    },
    message: () => ({ text: t('saved') }),
  });
  const { getInputProps, values } = form.form;
  const usual = (kind: UserNotice) =>
    notices.texts.find((one) => one.kind === kind && one.language === language)?.usual ?? '';
  return (
    <SaveCard title={t('bot.notices.title')} description={t('bot.notices.description')} form={form}>
      <QuietFields values={values} getInputProps={getInputProps} />
      <SegmentedControl
        className={classes.language}
        aria-label={t('bot.notices.language')}
        value={language}
        onChange={(code) => setLanguage(code as Language)}
        data={LANGUAGES.map(({ code, name }) => ({ value: code, label: name }))}
      />
      <p className={classes.hint}>
        {t('bot.notices.fields', { fields: NOTICE_FIELDS.map((field) => `{{${field}}}`).join(' ') })}
      </p>
      {USER_NOTICES.map((kind) => {
        const text = (values.texts[language]?.[kind] ?? '').trim() || usual(kind);
        return (
          <div key={kind} className={classes.notice}>
            <Switch label={t(`bot.notices.kind.${kind}`)} {...getInputProps(`on.${kind}`, { type: 'checkbox' })} />
            <Textarea
              key={`${language} ${kind}`}
              aria-label={t('bot.notices.textOf', { kind: t(`bot.notices.kind.${kind}`) })}
              placeholder={usual(kind)}
              lang={language}
              maxLength={MAX_NOTICE}
              autosize
              minRows={2}
              {...getInputProps(`texts.${language}.${kind}`)}
            />
            <p className={classes.preview} lang={language}>
              {fillNotice(text, buildSample(language))}
            </p>
          </div>
        );
      })}
    </SaveCard>
  );
}
