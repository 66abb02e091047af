// The API's address, and the certificate authority that programs need to trust.

import { useTranslation } from 'react-i18next';
import { CA_FILE } from '../../../../../contract/openapi/trust.ts';
import { useHost } from '../../../data/host.ts';
import { usePanel } from '../../../data/panel.tsx';
import { useOperation } from '../../../data/use-operation.ts';
import { notify, notifyFailure } from '../../../state/messages.ts';
import type { ApiEndpoint } from './curl.ts';

export interface Api extends ApiEndpoint {
  /** Saves the certificate of the panel's own authority as a file; null: not needed, or there is none. */
  readonly saveAuthority: (() => void) | null;
}

/** undefined while loading. */
export function useApi(): Api | undefined {
  const host = useHost();
  const { data: state } = useOperation('panelState', {});
  const certificates = useOperation('getCertificates', {});
  const baseUrl = state?.base_url ?? undefined;
  // Over plain HTTP there are no certificates.
  if (baseUrl === undefined || (certificates.data === undefined && certificates.error === null)) return undefined;
  const { served = [], authority } = certificates.data ?? {};
  const hasOwnAuthority = served.some(({ target, source }) => target === 'panel' && source === 'local');
  const pem = hasOwnAuthority ? authority?.pem : undefined;
  return {
    baseUrl,
    hasOwnAuthority,
    saveAuthority:
      pem === undefined ? null : () => void host.save(CA_FILE, 'application/x-pem-file', pem).catch(notifyFailure),
  };
}

// Downloads the OpenAPI document, with this panel's address as its server.

const FILE = 'panel-openapi.json';

export function useOpenApiFile(): () => void {
  const { t } = useTranslation('settings');
  const { client } = usePanel();
  const host = useHost();
  return () => {
    const save = async () => {
      const document = await client.getOpenApi();
      const isSaved = await host.save(FILE, 'application/json', `${JSON.stringify(document, null, 2)}\n`);
      if (isSaved) notify({ text: t('api.downloaded') });
    };
    save().catch(notifyFailure);
  };
}
