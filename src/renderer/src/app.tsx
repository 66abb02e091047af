// The whole application: language and theme, then setup, sign-in or the panel, as the panel says.
import { MantineProvider, MantineThemeProvider } from '@mantine/core';
import type { QueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PanelTransport } from '../../bridge/panel-transport.ts';
import { Toasts } from './components/toasts.tsx';
import { PanelProvider } from './data/panel.tsx';
import { useOperation } from './data/use-operation.ts';
import { preferredLocale, speak, startI18n } from './i18n/i18n.ts';
import { Root } from './root.tsx';
import { type Locale, useView } from './state/view.ts';
import { cssVariablesResolver, styleNonce, theme } from './theme/theme.ts';
import { useScheme } from './theme/use-scheme.ts';

interface AppProps {
  readonly transport: PanelTransport;
  readonly queries: QueryClient;
}

export function App({ transport, queries }: AppProps) {
  return (
    <PanelProvider transport={transport} queries={queries}>
      <Look>
        <Language>
          <Root />
          <Toasts />
        </Language>
      </Look>
    </PanelProvider>
  );
}

/** The theme and the density of rows. */
export function Look({ children }: { readonly children: ReactNode }) {
  const scheme = useScheme();
  const density = useView((view) => view.density);
  useEffect(() => {
    document.documentElement.dataset.density = density;
  }, [density]);
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      forceColorScheme={scheme}
      getStyleNonce={styleNonce}
      deduplicateInlineStyles
    >
      {children}
    </MantineProvider>
  );
}

/** The language chosen here, else the panel's, else the browser's while no panel answers. Nothing is shown before it can speak. */
export function Language({ children }: { readonly children: ReactNode }) {
  const chosen = useView((view) => view.locale);
  const { data, isPending } = useOperation('panelState', {});
  const [spoken, setSpoken] = useState<Locale | null>(null);
  const panels = data === undefined ? undefined : preferredLocale([data.language]);
  const wanted = chosen ?? panels ?? (isPending ? null : preferredLocale(navigator.languages));
  useEffect(() => {
    if (wanted === null || wanted === spoken) return;
    let isCurrent = true;
    void (spoken === null ? startI18n(wanted) : speak(wanted)).then(() => {
      if (isCurrent) setSpoken(wanted);
    });
    return () => {
      isCurrent = false;
    };
  }, [wanted, spoken]);
  return spoken === null ? null : <Words>{children}</Words>;
}

/** What Mantine says by itself. */
function Words({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation('common');
  const toggle = { 'aria-label': t('showPassword') };
  const components = { PasswordInput: { defaultProps: { visibilityToggleButtonProps: toggle } } };
  return <MantineThemeProvider theme={{ components }}>{children}</MantineThemeProvider>;
}
