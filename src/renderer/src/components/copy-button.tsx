// Copies a text and confirms it, for links, keys and ids.
import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useHost } from '../data/host.ts';
import { notify } from '../state/messages.ts';

interface CopyButtonProps {
  readonly value: string;
  /** What is copied, for the accessible name: "Copy the link". */
  readonly label: string;
  /** Shows the label beside the icon. */
  readonly wide?: boolean;
  /** Removed from the clipboard after a while, if the host supports it. */
  readonly isSecret?: boolean;
  readonly onCopied?: () => void;
}

const SHOWN_MS = 2000;

export function CopyButton({ value, label, wide = false, isSecret = false, onCopied }: CopyButtonProps) {
  const { t } = useTranslation('common');
  const host = useHost();
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    try {
      await host.copy(value, isSecret);
      setCopied(true);
      onCopied?.();
    } catch {
      notify({ text: t('copyFailed') });
    }
  };
  const icon = isCopied ? <IconCheck size={16} stroke={2} /> : <IconCopy size={16} stroke={1.5} />;
  const announced = (
    <span className="visually-hidden" role="status">
      {isCopied ? t('copied') : ''}
    </span>
  );
  if (wide) {
    return (
      <Button variant="default" leftSection={icon} onClick={() => void copy()}>
        {isCopied ? t('copied') : label}
        {announced}
      </Button>
    );
  }
  return (
    <Tooltip label={isCopied ? t('copied') : label}>
      <ActionIcon variant="subtle" color="gray" aria-label={label} onClick={() => void copy()}>
        {icon}
        {announced}
      </ActionIcon>
    </Tooltip>
  );
}
