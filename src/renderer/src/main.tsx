// The entry of the pages: finds the panel (at the page's address, or in the desktop) and renders the application.
import './theme/tokens.css';
import '@mantine/core/styles.layer.css';
import '@mantine/notifications/styles.layer.css';
import './theme/base.css';
import './theme/mantine.css';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { desktopHost, findDesktop, followDesktop } from './bridge/desktop-host.ts';
import { createHttpTransport } from './bridge/transport-http.ts';
import { createIpcTransport } from './bridge/transport-ipc.ts';
import { browserHost, HostContext } from './data/host.ts';
import { createQueryClient } from './data/query-client.ts';
import { reachListener } from './state/connection.ts';
import { adoptSessionSecret, sessionSecret } from './state/session-secret.ts';
import { styleNonce } from './theme/theme.ts';

setNonce(styleNonce());

adoptSessionSecret();
const desktop = findDesktop();
const transport =
  desktop === null
    ? createHttpTransport({
        base: new URL('./panel/', document.baseURI).href,
        fetch: globalThis.fetch.bind(globalThis),
        reach: reachListener,
        sessionSecret,
        random: Math.random,
      })
    : createIpcTransport({ api: desktop, reach: reachListener });
const host = desktop === null ? browserHost : desktopHost(desktop);
if (desktop !== null) followDesktop(desktop);

const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <HostContext value={host}>
        <App transport={transport} queries={createQueryClient()} />
      </HostContext>
    </StrictMode>,
  );
}
