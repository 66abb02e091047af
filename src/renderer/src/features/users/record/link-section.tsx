// The subscription link: copied, scanned or opened.
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconExternalLink, IconQrcode } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { User } from '../../../../../contract/users.ts';
import { CopyButton } from '../../../components/copy-button.tsx';
import { QrCode } from '../../../components/qr-code.tsx';
import { DrawerSection } from '../../../components/record-drawer.tsx';
import classes from './record.module.css';

export function LinkSection({ user: { name, sub_url: link } }: { readonly user: User }) {
  const { t } = useTranslation('users');
  const [isOpen, setOpen] = useState(false);
  if (link === undefined) return null;
  return (
    <DrawerSection title={t('link.title')}>
      <div className={classes.link}>
        <code className={classes.linkText} title={link}>
          {link}
        </code>
        <CopyButton value={link} label={t('link.copy')} />
        <Tooltip label={t('link.qr')}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('link.qr')}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            <IconQrcode size={16} stroke={1.5} />
          </ActionIcon>
        </Tooltip>
        <Tooltip label={t('link.open')}>
          <ActionIcon
            component="a"
            href={link}
            target="_blank"
            rel="noreferrer"
            variant="subtle"
            color="gray"
            aria-label={t('link.open')}
          >
            <IconExternalLink size={16} stroke={1.5} />
          </ActionIcon>
        </Tooltip>
      </div>
      {isOpen && (
        <div className={classes.qr}>
          <QrCode value={link} label={t('link.qrOf', { name })} size={220} />
          <p>{t('link.qrHint')}</p>
        </div>
      )}
    </DrawerSection>
  );
}
