// The menu of saved views: opens, saves, renames and deletes them.
import { Button, Menu, TextInput } from '@mantine/core';
import {
  IconBookmark,
  IconBookmarkPlus,
  IconCheck,
  IconChevronDown,
  IconDeviceFloppy,
  IconPencil,
  IconTrash,
} from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { UserView } from '../../../../contract/users/user-views.ts';
import { useActs } from '../../components/acts/use-acts.ts';
import confirm from '../../components/confirm.module.css';
import { Dialog } from '../../components/dialog.tsx';
import { FormFailure } from '../../components/form/form-failure.tsx';
import { useOperationForm } from '../../components/form/use-operation-form.ts';
import { useAct } from '../../data/use-act.ts';
import { showHidden } from '../../format/show-hidden.ts';
import { setQuery } from '../../router/router.ts';
import type { UserViews } from './use-user-views.ts';
import classes from './users.module.css';

export function ViewsMenu({ views }: { readonly views: UserViews }) {
  const { t } = useTranslation(['users', 'common']);
  const [nameForm, setNameForm] = useState<'new' | 'rename' | null>(null);
  const { all, open, isChanged } = views;
  const close = () => setNameForm(null);
  useActs({ 'users.saveView': () => setNameForm('new') });
  return (
    <>
      <Menu position="bottom-end" width={264} shadow="none">
        <Menu.Target>
          <Button
            className={classes.views ?? ''}
            variant="subtle"
            color="gray"
            size="xs"
            aria-label={open === undefined ? t('users:views.label') : undefined}
            leftSection={<IconBookmark size={16} stroke={1.5} />}
            rightSection={<IconChevronDown size={14} stroke={1.5} />}
          >
            {open === undefined ? (
              <span className={classes.viewsName}>{t('users:views.label')}</span>
            ) : (
              showHidden(open.name)
            )}
            {isChanged && <span className={classes.changed}>{t('users:views.changed')}</span>}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{t('users:views.hint')}</Menu.Label>
          {all.map((view) => (
            <Menu.Item
              key={view.id}
              aria-current={view === open || undefined}
              rightSection={view === open ? <IconCheck size={16} stroke={1.5} /> : undefined}
              onClick={() => setQuery({ open: view.id }, { push: true })}
            >
              {showHidden(view.name)}
            </Menu.Item>
          ))}
          {all.length > 0 && <Menu.Divider />}
          {isChanged && (
            <Menu.Item leftSection={<IconDeviceFloppy size={16} stroke={1.5} />} onClick={views.update}>
              {t('users:views.update')}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconBookmarkPlus size={16} stroke={1.5} />} onClick={() => setNameForm('new')}>
            {t('users:views.save')}
          </Menu.Item>
          {open && (
            <>
              <Menu.Item leftSection={<IconPencil size={16} stroke={1.5} />} onClick={() => setNameForm('rename')}>
                {t('users:views.rename')}
              </Menu.Item>
              <Menu.Item
                leftSection={<IconTrash size={16} stroke={1.5} />}
                c="var(--g-bad-ink)"
                onClick={() => views.remove(open)}
              >
                {t('users:act.delete')}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      <Dialog
        isOpen={nameForm !== null}
        onClose={close}
        title={t(nameForm === 'rename' ? 'users:views.rename' : 'users:views.save')}
      >
        <NameForm views={views} before={nameForm === 'rename' ? open : undefined} onClose={close} />
      </Dialog>
    </>
  );
}

interface NameFormProps {
  readonly views: UserViews;
  /** The view to rename; undefined: a new view of the present list. */
  readonly before: UserView | undefined;
  readonly onClose: () => void;
}

function NameForm({ views, before, onClose }: NameFormProps) {
  const { t } = useTranslation(['users', 'common']);
  const again = useAct('saveUserView');
  const drop = useAct('deleteUserView');
  const { form, failure, isBusy, submit } = useOperationForm({
    operation: 'saveUserView',
    initial: { name: before?.name ?? '' },
    toInput: ({ name }) => ({ ...(before ?? views.present), name: name.trim() }),
    message: ({ id, name }) => ({
      text: t(before ? 'users:views.renamed' : 'users:views.saved', { name }),
      undo: () => (before ? again.run(before) : drop.run({ id })),
    }),
    onDone: (view) => {
      if (!before) views.follow(view);
      onClose();
    },
  });
  return (
    <form noValidate onSubmit={submit}>
      <TextInput
        label={t('users:views.name')}
        data-autofocus
        autoComplete="off"
        maxLength={40}
        {...form.getInputProps('name')}
      />
      {failure && <FormFailure failure={failure} />}
      <div className={confirm.actions}>
        <Button variant="default" onClick={onClose}>
          {t('common:cancel')}
        </Button>
        <Button type="submit" loading={isBusy}>
          {t('common:save')}
        </Button>
      </div>
    </form>
  );
}
