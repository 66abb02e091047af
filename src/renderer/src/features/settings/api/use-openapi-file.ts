// Gives the description of the API as a file, with this panel's own address as its server.
import { useTranslation } from 'react-i18next';
import { useHost } from '../../../data/host.ts';
import { usePanel } from '../../../data/panel.tsx';
import { notify, notifyFailure } from '../../../state/messages.ts';

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
