// Asks for confirmation before an irreversible action: it says what will happen; for the most serious ones the name must be typed.
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
  /** The action as a question or a verb with its object: "Delete Anna Smirnova". */
  readonly title: string;
  /** What will happen, and what stops working. */
  readonly children: ReactNode;
  /** The verb on the button: "Delete". */
  readonly action: string;
  /** Runs the action; if it rejects, the dialog stays open and shows the reason. */
  readonly onConfirm: () => Promise<unknown>;
  readonly isDangerous?: boolean;
  /** false: something must be chosen first. */
  readonly isReady?: boolean;
}

/** Longer names need not be typed. */
const LONGEST = 40;

/** The text to type for a record: its name, or its id if the name is long or has invisible characters. */
export function wordToType(name: string, id: number): string {
  return name.length > LONGEST || showHidden(name) !== name ? String(id) : name;
}

interface ConfirmByNameProps extends ConfirmProps {
  /** The name to type. */
  readonly name: string;
}

/** For irreversible actions with little effect. */
export function Confirm(props: ConfirmProps) {
  return <Ask {...props} name={null} />;
}

/** For irreversible actions with a large effect: the name must be typed. */
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
  // Invisible characters may be typed as they are displayed, or pasted as they are.
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
