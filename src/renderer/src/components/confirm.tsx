// Asks before what cannot be undone, and only then: it says what will happen; for the most serious acts the name has to be typed.
import { Button, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PanelCallError } from '../../../contract/client.ts';
import { showHidden } from '../format/show-hidden.ts';
import classes from './confirm.module.css';
import { Dialog } from './dialog.tsx';
import { useFailureText } from './failure.ts';

interface ConfirmProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** The act as a question or a verb with its object: "Delete Anna Smirnova". */
  readonly title: string;
  /** What will happen and what it breaks. */
  readonly children: ReactNode;
  /** The verb on the button: "Delete". */
  readonly action: string;
  /** Runs it; if it rejects, the dialog stays open and shows why. */
  readonly onConfirm: () => Promise<unknown>;
  readonly isDangerous?: boolean;
  /** false: something has to be chosen first. */
  readonly isReady?: boolean;
}

/** Characters of a name up to which it is typed. */
const LONGEST = 40;

/** What is typed for a record: its name, or its id where the name is long, or has characters that cannot be seen. */
export function wordToType(name: string, id: number): string {
  return name.length > LONGEST || showHidden(name) !== name ? String(id) : name;
}

interface ConfirmByNameProps extends ConfirmProps {
  /** What must be typed. */
  readonly name: string;
}

/** For what cannot be undone but concerns little. */
export function Confirm(props: ConfirmProps) {
  return <Ask {...props} name={null} />;
}

/** For what cannot be undone and concerns much: the name has to be typed. */
export function ConfirmByName({ isDangerous = true, ...props }: ConfirmByNameProps) {
  return <Ask {...props} isDangerous={isDangerous} />;
}

function Ask({ name, ...props }: ConfirmProps & { readonly name: string | null }) {
  const { isOpen, onClose, title } = props;
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title}>
      <Question {...props} name={name} />
    </Dialog>
  );
}

function Question({
  onClose,
  children,
  action,
  onConfirm,
  isDangerous,
  isReady = true,
  name,
}: ConfirmProps & { readonly name: string | null }) {
  const { t } = useTranslation(['frame', 'common']);
  const describeFailure = useFailureText();
  const [typed, setTyped] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<PanelCallError | null>(null);
  // What cannot be seen is typed as it is shown, or left as it was copied.
  const isRight = isReady && (name === null || [name.trim(), showHidden(name.trim())].includes(typed.trim()));
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!isRight || isBusy) return;
    setBusy(true);
    setFailure(null);
    try {
      await onConfirm();
      onClose();
    } catch (reason) {
      if (!(reason instanceof PanelCallError)) throw reason;
      setFailure(reason);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <div className={classes.text}>{children}</div>
      {name !== null && (
        <TextInput
          mt={12}
          label={t('frame:confirm.typeName', { name })}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          error={
            typed !== '' && ![name.trim(), showHidden(name.trim())].some((one) => one.startsWith(typed.trim()))
              ? t('frame:confirm.wrongName')
              : undefined
          }
        />
      )}
      {failure !== null && (
        <p className={classes.failure} role="alert">
          {describeFailure(failure).text}
        </p>
      )}
      <div className={classes.actions}>
        <Button variant="default" onClick={onClose} data-autofocus={name === null || undefined}>
          {t('common:cancel')}
        </Button>
        <Button type="submit" color={isDangerous ? 'red' : 'indigo'} disabled={!isRight} loading={isBusy}>
          {action}
        </Button>
      </div>
    </form>
  );
}
