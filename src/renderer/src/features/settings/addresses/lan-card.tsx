// A switch that opens the API to the local network, and what bots there need: address, certificate authority, firewall rule.
import { Button, Switch } from '@mantine/core';
import { IconDownload, IconPlugConnected } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CA_FILE } from '../../../../../contract/openapi/trust.ts';
import type { Addresses } from '../../../../../contract/settings/addresses.ts';
import type { Output } from '../../../../../contract/table.ts';
import { SectionCard } from '../../../components/page.tsx';
import { QrCode } from '../../../components/qr-code.tsx';
import { useHost } from '../../../data/host.ts';
import { useAct } from '../../../data/use-act.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { notifyFailure } from '../../../state/messages.ts';
import { CopyLine, Notice } from '../parts/parts.tsx';
import classes from './addresses.module.css';
import { waitForConfirmation } from './trial.tsx';

const ONLY_HERE = '127.0.0.1';
const EVERY_NETWORK = '0.0.0.0';

export function LanCard({ addresses }: { readonly addresses: Addresses }) {
  const { t } = useTranslation('settings');
  const certificates = useOperation('getCertificates', {});
  const isOpen = !addresses.warnings.includes('only_this_machine');
  const change = useAct('changeAddresses', { onDone: waitForConfirmation });
  // Over plain HTTP there are no certificates, and the panel listens on this machine only.
  if (certificates.isError) return null;
  return (
    <SectionCard title={t('addresses.lan.title')} description={t('addresses.lan.description')}>
      <div className={classes.stack}>
        <Switch
          label={t('addresses.lan.switch')}
          description={t(isOpen ? 'addresses.lan.isOpen' : 'addresses.lan.isClosed')}
          checked={isOpen}
          disabled={change.isRunning || addresses.confirm_by !== null}
          onChange={({ currentTarget }) => change.start({ host: currentTarget.checked ? EVERY_NETWORK : ONLY_HERE })}
        />
        {isOpen && (
          <ForBots key={addresses.base_url} addresses={addresses} authority={certificates.data?.authority?.pem} />
        )}
      </div>
    </SectionCard>
  );
}

const FIREWALLS = ['windows', 'mac', 'linux'] as const;

/** What is needed to set up a bot on another machine of the network. */
function ForBots({ addresses, authority }: { readonly addresses: Addresses; readonly authority: string | undefined }) {
  const { t } = useTranslation('settings');
  const host = useHost();
  const { base_url: baseUrl, port } = addresses;
  const [tried, setTried] = useState<Output<'checkReach'>['tried']>([]);
  const check = useAct('checkReach', { onDone: (reply) => setTried(reply.tried) });
  return (
    <>
      <div className={classes.bots}>
        <QrCode value={baseUrl} label={t('addresses.lan.qr')} size={144} />
        <div className={classes.stack}>
          <CopyLine value={baseUrl} label={t('addresses.lan.copy')} />
          <div className={classes.acts}>
            <Button
              variant="default"
              leftSection={<IconPlugConnected size={16} stroke={1.5} />}
              loading={check.isRunning}
              onClick={() => check.start({})}
            >
              {t('addresses.lan.check')}
            </Button>
            {authority !== undefined && (
              <Button
                variant="default"
                leftSection={<IconDownload size={16} stroke={1.5} />}
                onClick={() => void host.save(CA_FILE, 'application/x-pem-file', authority).catch(notifyFailure)}
              >
                {t('addresses.lan.authority')}
              </Button>
            )}
          </div>
          {tried.map(({ base_url, outcome }) => (
            <Notice key={base_url} tone={outcome === 'reached' ? 'ok' : 'warn'}>
              {t(`addresses.lan.${outcome}`, { address: new URL(base_url).host })}
            </Notice>
          ))}
        </div>
      </div>
      <Notice tone="info" title={t('addresses.lan.firewall')}>
        <ul className={classes.firewalls}>
          {FIREWALLS.map((system) => (
            <li key={system}>{t(`addresses.lan.${system}`, { port })}</li>
          ))}
        </ul>
      </Notice>
    </>
  );
}
