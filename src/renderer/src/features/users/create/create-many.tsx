// Creates many users of one plan from pasted names.
import { Progress, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PanelCallError } from '../../../../../contract/client.ts';
import type { User, UserCreate } from '../../../../../contract/users/users.ts';
import { CopyButton } from '../../../components/copy-button.tsx';
import { useFailureText } from '../../../components/failure.ts';
import { wrongFields } from '../../../components/form/field-errors.ts';
import { FormDrawer } from '../../../components/form/form-drawer.tsx';
import { usePanel } from '../../../data/panel.tsx';
import { useFormat } from '../../../format/use-format.tsx';
import { notify } from '../../../state/messages.ts';
import { TagsField } from '../tags-field.tsx';
import classes from './create.module.css';
import { type CreateProps, PlanField, usualPlan } from './plan-field.tsx';

export function CreateMany({ plans, kind, onClose }: CreateProps) {
  const { t } = useTranslation(['users', 'errors']);
  const errors = useTranslation('errors').t;
  const format = useFormat();
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
    if (users.length > 0) notify({ text: t('users:toast.createdMany', { count: users.length }) });
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
      isReady={!plans.isPending}
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
      <TagsField label={t('users:make.tags')} {...form.getInputProps('tags')} />
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

// A pasted line: the name and, after a tab (as spreadsheets copy columns), the contact.

export interface NewName {
  readonly name: string;
  readonly contact: string;
}

export function parseNames(text: string): readonly NewName[] {
  return text
    .split(/\r\n|\n|\r/)
    .map((line) => line.split('\t').map((part) => part.trim()))
    .flatMap(([name = '', contact = '']) => (name === '' && contact === '' ? [] : [{ name, contact }]));
}

/** The names as lines again, for those that are still to be created after failures. */
export function toLines(names: readonly NewName[]): string {
  return names.map(({ name, contact }) => (contact === '' ? name : `${name}\t${contact}`)).join('\n');
}

// The results of creating many users: refused ones can be tried again, created ones have their links.

export interface Made {
  readonly users: readonly User[];
  /** The refused ones, in their order. */
  readonly failed: readonly { readonly index: number; readonly failure: PanelCallError }[];
}

const AT_ONCE = 4;

function useCreateMany() {
  const { client, invalidate } = usePanel();
  const [done, setDone] = useState<number | null>(null);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);

  /** Creates users a few at a time; a refused one does not stop the others. */
  async function run(inputs: readonly UserCreate[]): Promise<Made> {
    const controller = new AbortController();
    stop.current = controller;
    const made = new Map<number, User>();
    const failed: { index: number; failure: PanelCallError }[] = [];
    let next = 0;
    setDone(0);
    const work = async () => {
      for (let index = next++; index < inputs.length && !controller.signal.aborted; index = next++) {
        const input = inputs[index];
        if (input === undefined) return;
        try {
          made.set(index, await client.createUser(input));
        } catch (failure) {
          if (!(failure instanceof PanelCallError)) throw failure;
          failed.push({ index, failure });
        }
        setDone(made.size + failed.length);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    setDone(null);
    invalidate('user');
    const users = [...made].sort(([a], [b]) => a - b).map(([, user]) => user);
    return { users, failed: failed.sort((a, b) => a.index - b.index) };
  }

  return { done, run };
}
