// Makes a new secret path. This page's own address is gone with it, so it goes on at the new one at once.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SectionCard } from '../../../components/page.tsx';
import { useHost } from '../../../data/host.ts';
import { hashOf } from '../../../router/route.ts';
import { navigate } from '../../../router/router.ts';
import { ProofDialog } from '../parts/proof-dialog.tsx';

/** In the query of the addresses: they have just got a new secret path. */
export const ROTATED = 'rotated';

export function SecretCard() {
  const { t } = useTranslation('settings');
  const host = useHost();
  const [isAsking, setAsking] = useState(false);
  const leaveFor = (secretPath: string) => {
    // The desktop's pages do not stand under the secret path.
    if (host.kind === 'desktop') navigate(hashOf(['settings', 'addresses'], { [ROTATED]: 1 }));
    else location.replace(placeAt(secretPath));
  };
  return (
    <SectionCard
      title={t('addresses.secret.title')}
      description={t('addresses.secret.description')}
      actions={
        <Button variant="default" onClick={() => setAsking(true)}>
          {t('addresses.secret.rotate')}
        </Button>
      }
    >
      <ProofDialog
        operation="rotateSecretPath"
        input={{}}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={t('addresses.secret.rotateTitle')}
        action={t('addresses.secret.submit')}
        isDangerous
        onDone={({ secret_path }) => leaveFor(secret_path)}
      >
        <p>{t('addresses.secret.rotateText')}</p>
      </ProofDialog>
    </SectionCard>
  );
}

/** The same host, as this browser reaches it, under the new path. */
function placeAt(secretPath: string): string {
  return new URL(`/${secretPath}/${hashOf(['settings', 'addresses'], { [ROTATED]: 1 })}`, location.href).href;
}
