// A broadcast by the Telegram bot to the listed users: their number, its texts, and a test message to oneself.
import { Button, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { NOTICE_FIELDS } from '../../../../../contract/bot/bot-notices.ts';
import { MAX_BROADCAST } from '../../../../../contract/bot/broadcasts.ts';
import { LANGUAGES, type Language } from '../../../../../i18n/languages.ts';
import { FormDrawer } from '../../../components/form/form-drawer.tsx';
import { useOperationForm } from '../../../components/form/use-operation-form.ts';
import { useOpening } from '../../../components/use-opening.ts';
import { useAct } from '../../../data/use-act.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { useFormat } from '../../../format/use-format.tsx';
import { buildHash } from '../../../router/route.ts';
import { navigate } from '../../../router/router.ts';
import { randomHex } from '../../../state/random.ts';
import { buildBulkFilter, type Filter, type FilterName, listFilterNames } from '../filter.ts';
import classes from '../users.module.css';

interface BroadcastDrawerProps {
  readonly isOpen: boolean;
  /** The filter of the list. */
  readonly filter: Filter;
  formatFilter(name: FilterName): string;
  readonly onClose: () => void;
}

export function BroadcastDrawer({ isOpen, ...rest }: BroadcastDrawerProps) {
  const { shown, count } = useOpening(isOpen ? 'open' : null);
  return shown === null ? null : <BroadcastForm key={count} isOpen={isOpen} {...rest} />;
}

type Values = Record<Language, string>;

function BroadcastForm({ isOpen, filter, formatFilter, onClose }: BroadcastDrawerProps) {
  const { t } = useTranslation('users');
  const format = useFormat();
  // The idempotency key, the same on every retry of this form.
  const [key] = useState(() => randomHex(16));
  const conditions = buildBulkFilter(filter);
  const preview = useOperation('previewBroadcast', { filter: conditions }, { staleMs: 0 });
  const { form, ...rest } = useOperationForm<'createBroadcast', Values>({
    operation: 'createBroadcast',
    initial: Object.fromEntries(LANGUAGES.map(({ code }) => [code, ''])) as Values,
    toInput: (values) => ({ key, texts: listTexts(values), filter: conditions }),
    check: (values): Record<string, string> => {
      const [first] = LANGUAGES;
      return listTexts(values).length > 0 ? {} : { [first.code]: t('broadcast.empty') };
    },
    message: ({ total }) => ({ text: t('broadcast.begun', { count: total }) }),
    onDone: () => navigate(buildHash(['settings', 'bot'])),
  });
  const test = useAct('testBroadcast', {
    message: ({ accounts }) => ({
      text: accounts === 0 ? t('broadcast.noAccount') : t('broadcast.tested', { count: accounts }),
    }),
  });
  const texts = listTexts(form.values);
  const names = listFilterNames(filter);
  const { people = 0, blocked = 0, seconds = 0 } = preview.data ?? {};
  return (
    <FormDrawer
      isOpen={isOpen}
      onClose={onClose}
      title={t('broadcast.title')}
      action={preview.data === undefined ? t('broadcast.act') : t('broadcast.actCount', { count: people - blocked })}
      form={rest}
      width={560}
    >
      <div>
        <p className={classes.broadcastWhom}>
          {names.length === 0 ? t('broadcast.everybody') : names.map(formatFilter).join(' · ')}
        </p>
        <p className={classes.broadcastCount} role="status">
          {preview.data === undefined
            ? t('broadcast.counting')
            : [
                t('broadcast.people', { count: people }),
                ...(blocked > 0 ? [t('broadcast.blocked', { count: blocked })] : []),
                t('broadcast.time', { time: format.uptime(Math.max(60, seconds)) }),
              ].join(' · ')}
        </p>
      </div>
      {LANGUAGES.map(({ code, name }, index) => (
        <Textarea
          key={code}
          label={t('broadcast.text', { language: name })}
          {...(index === 0 && { 'data-autofocus': true })}
          lang={code}
          autosize
          minRows={4}
          maxRows={14}
          maxLength={MAX_BROADCAST}
          {...form.getInputProps(code)}
        />
      ))}
      <p className={classes.broadcastCount}>
        {t('broadcast.hint', { fields: NOTICE_FIELDS.map((field) => `{{${field}}}`).join(', ') })}
      </p>
      <div>
        <Button
          variant="default"
          disabled={texts.length === 0}
          loading={test.isRunning}
          onClick={() => test.start({ texts })}
        >
          {t('broadcast.test')}
        </Button>
      </div>
    </FormDrawer>
  );
}

function listTexts(values: Values) {
  return LANGUAGES.map(({ code }) => ({ language: code, text: values[code].trim() })).filter(({ text }) => text !== '');
}
