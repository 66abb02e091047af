// The node that swagger-ui draws into: mounted with the page's data, unmounted with the page.
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useHost } from '../../../data/host.ts';
import { usePanel } from '../../../data/panel.tsx';
import { notifyFailure } from '../../../state/messages.ts';
import { curlOf, exampleSamples } from '../api/curl.ts';
import type { Api } from '../api/use-api.ts';
import 'swagger-ui-dist/swagger-ui.css';
import './docs.css';
import './docs-rows.css';
import './docs-body.css';
import './docs-parts.css';
import { type MountedDocs, mountSwagger } from './mount-swagger.ts';
import { copyDescription, pathBelow, responseOf } from './swagger-data.ts';

interface SwaggerHostProps {
  readonly api: Api;
  /** The OpenAPI document, as JSON. */
  readonly document: object;
  /** As typed at the top of the page. */
  readonly apiKey: string;
  readonly filter: string;
}

export function SwaggerHost({ api, document: description, apiKey, filter }: SwaggerHostProps) {
  const { t } = useTranslation('settings');
  const { client } = usePanel();
  const host = useHost();
  const node = useRef<HTMLDivElement>(null);
  const key = useRef(apiKey);
  const [docs, setDocs] = useState<MountedDocs | null>(null);
  useEffect(() => {
    key.current = apiKey;
  }, [apiKey]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: drawn again only for another description, address or language.
  useEffect(() => {
    const parent = node.current;
    if (parent === null) return;
    const container = document.createElement('div');
    parent.append(container);
    const mounted = mountSwagger({
      node: container,
      spec: copyDescription(description),
      exampleOf: (id) => exampleSamples(api, id).find(({ lang }) => lang === 'Shell')?.source ?? null,
      samplesOf: (id) => exampleSamples(api, id).filter(({ lang }) => lang !== 'Shell'),
      sentOf(url) {
        const path = pathBelow(api.baseUrl, url);
        return path === null ? null : curlOf(api, path, null);
      },
      copy: (text) => void host.copy(text).catch(notifyFailure),
      async send(url, accept) {
        const path = pathBelow(api.baseUrl, url);
        if (path === null) throw new TypeError('The request leads away from this panel.');
        return responseOf(await client.tryApi({ path, key: key.current.trim(), ...(accept && { accept }) }));
      },
      texts: {
        curl: t('api.docs.curl'),
        sent: t('api.docs.sent'),
        copyCurl: t('api.docs.copyCurl'),
        copyCode: t('api.docs.copyCode'),
        try: t('api.docs.try'),
        cancel: t('api.docs.cancel'),
      },
    });
    setDocs(mounted);
    return () => {
      mounted.unmount();
      // Its React clears up in a turn of its own.
      setTimeout(() => container.remove());
    };
  }, [description, api.baseUrl, api.hasOwnAuthority, t]);

  useEffect(() => {
    docs?.filter(filter);
  }, [docs, filter]);

  return <div ref={node} className="api-docs" lang="en" />;
}
