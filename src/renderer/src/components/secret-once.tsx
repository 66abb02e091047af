// A secret that is shown only once: hidden until revealed, copied with one press, with a warning that it will not be shown again.
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconAlertTriangle, IconEye, IconEyeOff } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from './copy-button.tsx';
import classes from './secret-once.module.css';

interface SecretOnceProps {
  readonly value: string;
  /** For accessible names: "Copy the key". */
  readonly copyLabel: string;
  /** Replaces the sentence that it is shown only once. */
  readonly warning?: string;
  readonly onCopied?: () => void;
}

export function SecretOnce({ value, copyLabel, warning, onCopied }: SecretOnceProps) {
  const { t } = useTranslation('frame');
  const [isShown, setShown] = useState(false);
  const label = isShown ? t('secret.conceal') : t('secret.reveal');
  return (
    <div className={classes.root}>
      <p className={classes.warning}>
        <IconAlertTriangle size={16} stroke={1.5} aria-hidden />
        {warning ?? t('secret.once')}
      </p>
      <div className={classes.secret}>
        <code className={classes.value}>{isShown ? value : '•'.repeat(Math.min(40, value.length))}</code>
        <Tooltip label={label}>
          <ActionIcon variant="subtle" color="gray" aria-label={label} onClick={() => setShown(!isShown)}>
            {isShown ? <IconEyeOff size={16} stroke={1.5} /> : <IconEye size={16} stroke={1.5} />}
          </ActionIcon>
        </Tooltip>
        <CopyButton value={value} label={copyLabel} isSecret {...(onCopied && { onCopied })} />
      </div>
    </div>
  );
}
