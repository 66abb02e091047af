// The gallery: every shared component in each of its states, without a panel. For development and tests; never shipped.
import '../theme/tokens.css';
import '@mantine/core/styles.layer.css';
import '@mantine/notifications/styles.layer.css';
import '../theme/base.css';
import '../theme/mantine.css';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Appearance, Translated } from '../app.tsx';
import { Toasts } from '../components/toasts.tsx';
import { PanelProvider } from '../data/panel.tsx';
import { createQueryClient } from '../data/query-client.ts';
import { FormatProvider } from '../format/use-format.tsx';
import { styleNonce } from '../theme/theme.ts';
import { fakeTransport } from './fake-transport.ts';
import { Gallery } from './gallery.tsx';

setNonce(styleNonce());

const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <PanelProvider transport={fakeTransport} queries={createQueryClient()}>
        <Appearance>
          <Translated>
            <FormatProvider timeZone="Europe/Berlin">
              <Gallery />
              <Toasts />
            </FormatProvider>
          </Translated>
        </Appearance>
      </PanelProvider>
    </StrictMode>,
  );
}
