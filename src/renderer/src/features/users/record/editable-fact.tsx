// A value of the record with an editor in its place. The editor keeps its input through every failure, and reports a change by someone else
// instead of overwriting it.
import { ActionIcon, Button } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { IconPencil } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { User, UserPatch } from '../../../../../contract/users/users.ts';
import { FormFailure } from '../../../components/form/form-failure.tsx';
import { useOperationForm } from '../../../components/form/use-operation-form.ts';
import { Fact } from '../../../components/record-drawer.tsx';
import { usePanel } from '../../../data/panel.tsx';
import classes from './record.module.css';
import { useEditing } from './record-context.tsx';

export interface EditableFactProps<Values extends Record<string, unknown>> {
  readonly user: User;
  /** Reads the record again. */
  readonly refresh: () => Promise<unknown>;
  readonly label: string;
  /** The present value. */
  readonly shown: ReactNode;
  /** Initial values; fields have the contract's names. */
  initial(): Values;
  toPatch(values: Values): UserPatch;
  /** Checks that the contract cannot express; returns texts by field. */
  readonly check?: (values: Values) => Record<string, string>;
  /** false: the change has effects that cannot be undone. */
  readonly canUndo?: boolean;
  readonly fields: (form: UseFormReturnType<Values>) => ReactNode;
}

export function EditableFact<Values extends Record<string, unknown>>(props: EditableFactProps<Values>) {
  const { label, shown } = props;
  const { t } = useTranslation('users');
  const [isOpen, setOpen] = useState(false);
  const [round, setRound] = useState(0);
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    setOpen(false);
    // The button is rendered again in the next frame.
    requestAnimationFrame(() => button.current?.focus());
  };
  return (
    <Fact label={label}>
      {isOpen ? (
        <Editor
          key={round}
          {...props}
          onClose={close}
          onReload={() => void props.refresh().then(() => setRound((before) => before + 1))}
        />
      ) : (
        <span className={classes.shown}>
          <span className={classes.value}>{shown}</span>
          <ActionIcon
            ref={button}
            className={classes.pencil ?? ''}
            variant="subtle"
            color="gray"
            size={24}
            aria-label={t('edit.change', { what: label })}
            title={t('edit.change', { what: label })}
            onClick={() => setOpen(true)}
          >
            <IconPencil size={14} stroke={1.5} />
          </ActionIcon>
        </span>
      )}
    </Fact>
  );
}

interface EditorProps<Values extends Record<string, unknown>> extends EditableFactProps<Values> {
  readonly onClose: () => void;
  readonly onReload: () => void;
}

function Editor<Values extends Record<string, unknown>>(props: EditorProps<Values>) {
  const { user, label, initial, toPatch, check, canUndo = true, fields, onClose, onReload } = props;
  const { t } = useTranslation(['users', 'common']);
  const { client, etags, invalidate } = usePanel();
  const [ifMatch] = useState(() => etags.find('getUser', { id: user.id }));
  const [before] = useState(user);
  const [begin] = useState(initial);
  const box = useRef<HTMLFormElement>(null);
  const { form, failure, isBusy, isDirty, submit, overwrite } = useOperationForm({
    operation: 'updateUser',
    initial: begin,
    toInput: (values) => ({ id: user.id, ...toPatch(values) }),
    ...(check && { check }),
    ifMatch,
    message: ({ name }, input) => ({
      text: t('users:toast.changed', { name, what: label }),
      ...(canUndo && {
        undo: async () => {
          await client.updateUser({ id: user.id, ...buildUndoPatch(before, input) });
          invalidate('user');
        },
      }),
    }),
    onDone: onClose,
  });
  const closeBy = useEditing(isDirty && !isBusy);
  useEffect(() => {
    const field = box.current?.querySelector<HTMLElement>('input:not([type=hidden]), textarea, select');
    field?.focus();
    // The cursor of a note starts at its end.
    if (field instanceof HTMLTextAreaElement) field.setSelectionRange(field.value.length, field.value.length);
  }, []);
  return (
    <form
      ref={box}
      className={classes.editor}
      noValidate
      aria-label={t('users:edit.change', { what: label })}
      onSubmit={(event) => {
        event.preventDefault();
        if (isDirty) submit();
        else onClose();
      }}
      onKeyDown={(event) => {
        const isSend = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
        // Escape first closes an open list of suggestions.
        const isListOpen = event.target instanceof Element && event.target.getAttribute('aria-expanded') === 'true';
        if (isSend) submit();
        else if (event.key === 'Escape' && !event.defaultPrevented && !isListOpen && !isBusy) closeBy(onClose);
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      {fields(form)}
      <FormFailure failure={failure} onReload={onReload} onOverwrite={overwrite} />
      <span className={classes.editorActs}>
        <Button type="submit" loading={isBusy}>
          {t('common:save')}
        </Button>
        <Button variant="default" onClick={() => closeBy(onClose)}>
          {t('common:cancel')}
        </Button>
      </span>
    </form>
  );
}

/** The patch that undoes another patch. */
function buildUndoPatch(user: User, patch: UserPatch & { readonly id: number }): UserPatch {
  const names = Object.keys(patch).filter((name) => name !== 'id');
  const former = Object.fromEntries(names.map((name) => [name, user[name as keyof User]])) as UserPatch;
  if (patch.metadata === undefined) return former;
  // Metadata is merged, so added members must be removed by name.
  const added = Object.keys(patch.metadata).filter((key) => !Object.hasOwn(user.metadata, key));
  return { ...former, metadata: { ...user.metadata, ...Object.fromEntries(added.map((key) => [key, null])) } };
}
