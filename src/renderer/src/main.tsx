// The pages begin here: they find the panel beside their own address and say hello to it.
import './theme/tokens.css';
import '@mantine/core/styles.layer.css';
import '@mantine/notifications/styles.layer.css';
import './theme/base.css';
import './theme/mantine.css';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { createHttpTransport } from './bridge/transport-http.ts';
import { createQueryClient } from './data/query-client.ts';
import { reachListener } from './state/connection.ts';
import { styleNonce } from './theme/style-nonce.ts';

setNonce(styleNonce());

const transport = createHttpTransport({
  base: new URL('./panel/', document.baseURI).href,
  fetch: globalThis.fetch.bind(globalThis),
  reach: reachListener,
  random: Math.random,
});

const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App transport={transport} queries={createQueryClient()} />
    </StrictMode>,
  );
}
