// The subscription link: copy it, scan it or open it.
import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { IconAlertTriangle, IconDeviceMobile, IconDownload, IconExternalLink, IconQrcode } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { User } from '../../../../../contract/users/users.ts';
import { HOUR_MS } from '../../../../../domain/limits.ts';
import { computeLinkTrust } from '../../../../../domain/link-trust.ts';
import { CopyButton } from '../../../components/copy-button.tsx';
import { drawQrPicture, QrCode } from '../../../components/qr-code.tsx';
import { DrawerSection } from '../../../components/record-drawer.tsx';
import { useHost } from '../../../data/host.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { buildHash } from '../../../router/route.ts';
import { FormerLink } from './former-link.tsx';
import { Phone } from './phone.tsx';
import classes from './record.module.css';
import { TelegramLink } from './telegram-link.tsx';

interface LinkSectionProps {
  readonly user: User;
  /** Whether the record was opened for its link: then QR code and page are shown at once. */
  readonly isAsked: boolean;
}

type Shown = 'qr' | 'page' | null;

export function LinkSection({ user, isAsked }: LinkSectionProps) {
  const { name, sub_url: link } = user;
  const { t } = useTranslation('users');
  const [shown, setShown] = useState<Shown>(isAsked ? 'page' : null);
  const toggle = (what: Shown) => setShown(shown === what ? null : what);
  const { save } = useHost();
  const certificates = useOperation('getCertificates', {}, { staleMs: HOUR_MS });
  if (link === undefined) return null;
  const trust = link.startsWith('https:') ? computeLinkTrust(certificates.data?.served ?? []) : null;
  const saveQr = async () => save(`${sanitizeFileName(name)}.png`, 'image/png', await drawQrPicture(link));
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
            aria-expanded={shown === 'qr'}
            onClick={() => toggle('qr')}
          >
            <IconQrcode size={16} stroke={1.5} />
          </ActionIcon>
        </Tooltip>
        <Tooltip label={t('link.phone')}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('link.phone')}
            aria-expanded={shown === 'page'}
            onClick={() => toggle('page')}
          >
            <IconDeviceMobile size={16} stroke={1.5} />
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
      {isLocal(link) && (
        <Warning text={t('link.local')} href={buildHash(['settings', 'addresses'])} act={t('link.localSettings')} />
      )}
      {(trust === 'untrusted' || trust === 'ended') && (
        <Warning
          text={t(`link.${trust}`)}
          href={buildHash(['settings', 'certificates'])}
          act={t('link.certificates')}
        />
      )}
      {shown === 'qr' && (
        <div className={classes.qr}>
          <QrCode value={link} label={t('link.qrOf', { name })} size={220} />
          <p>{t('link.qrHint')}</p>
          <Button variant="default" leftSection={<IconDownload size={16} stroke={1.5} />} onClick={() => void saveQr()}>
            {t('link.saveQr')}
          </Button>
        </div>
      )}
      {shown === 'page' && <Phone user={user} />}
      <FormerLink userId={user.id} />
      <TelegramLink user={user} />
    </DrawerSection>
  );
}

/** Why an app would not open the link, with a link to the setting. */
function Warning({ text, href, act }: { readonly text: string; readonly href: string; readonly act: string }) {
  return (
    <p className={classes.linkWarning}>
      <IconAlertTriangle size={16} stroke={1.5} aria-hidden />
      <span>
        {text} <a href={href}>{act}</a>
      </span>
    </p>
  );
}

/** Whether only the panel's own machine can open a link. */
function isLocal(link: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(link).hostname);
}

/** A name without characters that file systems do not accept. */
function sanitizeFileName(name: string): string {
  return name.replace(/[\p{C}<>:"/\\|?*]+/gu, ' ').trim() || 'qr';
}
