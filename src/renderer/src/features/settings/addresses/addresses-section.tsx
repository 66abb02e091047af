// Settings, Addresses: the present addresses, the listener, public names, subscription links and the secret path.
import { useTranslation } from 'react-i18next';
import type { Addresses } from '../../../../../contract/settings/addresses.ts';
import { SectionCard } from '../../../components/page.tsx';
import { useHost } from '../../../data/host.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { useRoute } from '../../../router/router.ts';
import { CopyLine, Notice, Reading } from '../parts/parts.tsx';
import rows from '../parts/rows.module.css';
import { LinksCard, ListenCard, NamesCard, ROTATED, SecretCard } from './address-cards.tsx';
import classes from './addresses.module.css';
import { LanCard } from './lan-card.tsx';
import { Trial } from './trial.tsx';

export function AddressesSection() {
  const { t } = useTranslation('settings');
  const addresses = useOperation('getAddresses', {});
  return (
    <Reading title={t('addresses.now.title')} query={addresses} height={140}>
      {(data) => (
        <>
          <NowCard addresses={data} />
          <Trial addresses={data} />
          <LanCard addresses={data} />
          {/* The key resets the form after another address was confirmed. */}
          <ListenCard key={`${data.host} ${data.port}`} addresses={data} />
          <NamesCard addresses={data} />
          <LinksCard addresses={data} />
          <SecretCard />
        </>
      )}
    </Reading>
  );
}

function NowCard({ addresses }: { readonly addresses: Addresses }) {
  const { t } = useTranslation('settings');
  const isRotated = useRoute().query.has(ROTATED);
  const { kind } = useHost();
  const { panel_url, base_url, links_url, warnings } = addresses;
  return (
    <SectionCard title={t('addresses.now.title')}>
      <div className={classes.stack}>
        {isRotated && <Notice tone="ok">{t('addresses.secret.done')}</Notice>}
        <dl className={rows.facts}>
          {/* The desktop serves its pages on no socket. */}
          {kind === 'browser' && (
            <div>
              <dt>{t('addresses.now.panel')}</dt>
              <dd>
                <CopyLine value={panel_url} label={t('addresses.now.copyPanel')} />
              </dd>
            </div>
          )}
          <div>
            <dt>{t('addresses.now.api')}</dt>
            <dd>
              <CopyLine value={base_url} label={t('addresses.now.copyApi')} />
            </dd>
          </div>
          <div>
            <dt>{t('addresses.now.links')}</dt>
            <dd>
              <CopyLine value={links_url} label={t('addresses.now.copyLinks')} />
            </dd>
          </div>
        </dl>
        {warnings.map((warning) => (
          <Notice key={warning} tone="warn">
            {t(`addresses.warning.${warning}`)}
          </Notice>
        ))}
      </div>
    </SectionCard>
  );
}
