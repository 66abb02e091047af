// The recovery codes, shown once: they must be copied or saved before continuing.
import { Button, Checkbox } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useHost } from '../../data/host.ts';
import { notifyFailure } from '../../state/messages.ts';
import { CopyButton } from '../copy-button.tsx';
import classes from './credentials.module.css';

interface RecoveryCodesProps {
  readonly codes: readonly string[];
  readonly onDone: () => void;
}

export function RecoveryCodes({ codes, onDone }: RecoveryCodesProps) {
  const { t } = useTranslation('access');
  const host = useHost();
  const [isKept, setKept] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  // The element that had the focus has been removed; screen readers continue here.
  useEffect(() => box.current?.focus(), []);
  const text = `${codes.join('\n')}\n`;
  return (
    <div ref={box} className={classes.form} tabIndex={-1}>
      <p className={classes.text}>{t('codes.text')}</p>
      <ol className={classes.codes}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ol>
      <div className={classes.buttons}>
        <CopyButton wide value={text} label={t('codes.copy')} />
        <Button
          variant="default"
          leftSection={<IconDownload size={16} stroke={1.5} />}
          onClick={() => void host.save('gatehouse-recovery-codes.txt', 'text/plain', text).catch(notifyFailure)}
        >
          {t('codes.save')}
        </Button>
      </div>
      <Checkbox label={t('codes.kept')} checked={isKept} onChange={(event) => setKept(event.currentTarget.checked)} />
      <Button fullWidth disabled={!isKept} onClick={onDone}>
        {t('codes.done')}
      </Button>
    </div>
  );
}
