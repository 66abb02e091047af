// Many new users of one plan, from pasted names.
import { Progress, TagsInput, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { User, UserCreate } from '../../../../../contract/users.ts';
import { CopyButton } from '../../../components/copy-button.tsx';
import { useFailureText } from '../../../components/failure.ts';
import { wrongFields } from '../../../components/form/field-errors.ts';
import { FormDrawer } from '../../../components/form/form-drawer.tsx';
import { useFormat } from '../../../format/use-format.tsx';
import { notify } from '../../../state/messages.ts';
import { knownTags } from '../cached-users.ts';
import classes from './create.module.css';
import type { CreateProps } from './create-props.ts';
import { parseNames, toLines } from './names.ts';
import { PlanField, usualPlan } from './plan-field.tsx';
import { useCreateMany } from './use-create-many.ts';

export function CreateMany({ plans, kind, onClose }: CreateProps) {
  const { t } = useTranslation(['users', 'errors']);
  const errors = useTranslation('errors').t;
  const format = useFormat();
  const queries = useQueryClient();
  const describeFailure = useFailureText();
  const { done, run } = useCreateMany();
  const [made, setMade] = useState<readonly User[]>([]);
  const [failures, setFailures] = useState<readonly string[]>([]);
  const form = useForm({ initialValues: { names: '', tariff_id: usualPlan(plans), tags: [] as string[] } });
  const { names, tariff_id, tags } = form.getValues();
  const lines = parseNames(names);

  const submit = async () => {
    const plan = Number(tariff_id || usualPlan(plans));
    const inputs = lines.map(
      ({ name, contact }): UserCreate => ({
        name,
        tariff_id: plan,
        ...(contact !== '' && { contact }),
        ...(tags.length > 0 && { tags }),
      }),
    );
    const wrong: string[] = inputs.flatMap((input, index) => {
      const [text] = Object.values(wrongFields(errors, 'createUser', input));
      return text === undefined ? [] : [t('users:make.wrongLine', { line: index + 1, text })];
    });
    if (inputs.length === 0) wrong.push(errors('field.required'));
    form.setErrors(wrong.length > 0 ? { names: wrong.slice(0, 5).join('\n') } : {});
    if (wrong.length > 0) return;
    setFailures([]);
    const { users, failed } = await run(inputs);
    setMade((before) => [...before, ...users]);
    if (users.length > 0) notify({ text: t('users:said.createdMany', { count: users.length }) });
    setFailures([...new Set(failed.map(({ failure }) => describeFailure(failure).text))]);
    form.setFieldValue('names', toLines(failed.flatMap(({ index }) => lines[index] ?? [])));
  };

  const links = made.map(({ name, sub_url: link }) => `${name}\t${link ?? ''}`).join('\n');
  return (
    <FormDrawer
      isOpen
      onClose={onClose}
      title={t('users:make.title')}
      action={lines.length === 0 ? t('users:make.add') : t('users:make.addMany', { count: lines.length })}
      form={{
        failure: null,
        isBusy: done !== null,
        isDirty: names.trim() !== '',
        submit(event) {
          event?.preventDefault();
          if (done === null) void submit();
        },
        overwrite: () => undefined,
      }}
    >
      {kind}
      <Textarea
        label={t('users:make.names')}
        description={t('users:make.namesHint')}
        autosize
        minRows={6}
        maxRows={16}
        data-autofocus
        required
        readOnly={done !== null}
        spellCheck={false}
        classNames={{ error: classes.lines ?? '' }}
        {...form.getInputProps('names')}
      />
      <PlanField plans={plans} value={tariff_id || usualPlan(plans)} inputProps={form.getInputProps('tariff_id')} />
      <TagsInput
        label={t('users:make.tags')}
        description={t('users:details.tagsHint')}
        data={knownTags(queries)}
        limit={8}
        maxTags={20}
        maxLength={32}
        comboboxProps={{ shadow: 'none' }}
        {...form.getInputProps('tags')}
      />
      {done !== null && (
        <div role="status">
          <Progress value={(done / Math.max(1, lines.length)) * 100} aria-label={t('users:make.title')} />
          <p className={classes.quiet}>
            {t('users:make.running', { done: format.number(done), total: format.number(lines.length) })}
          </p>
        </div>
      )}
      {failures.length > 0 && (
        <div className={classes.failures} role="alert">
          <strong>{t('users:make.failed', { count: lines.length })}</strong>
          {failures.map((text) => (
            <p key={text}>{text}</p>
          ))}
        </div>
      )}
      {made.length > 0 && done === null && (
        <div className={classes.made}>
          <p>{t('users:make.added', { count: made.length })}</p>
          <CopyButton value={links} label={t('users:make.copyLinks')} wide />
        </div>
      )}
    </FormDrawer>
  );
}
