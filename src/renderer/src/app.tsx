// The whole application: language and theme, then setup, sign-in or the panel.
import { MantineProvider, MantineThemeProvider } from '@mantine/core';
import type { QueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PanelTransport } from '../../bridge/panel-transport.ts';
import { chooseLanguage, isLanguage, type Language } from '../../i18n/languages.ts';
import { Toasts } from './components/toasts.tsx';
import { PanelProvider } from './data/panel.tsx';
import { useOperation } from './data/use-operation.ts';
import { startI18n, switchLanguage } from './i18n/i18n.ts';
import { Root } from './root.tsx';
import { followOtherWindows, useView } from './state/view.ts';
import { cssVariablesResolver, styleNonce, theme } from './theme/theme.ts';
import { useScheme } from './theme/use-scheme.ts';

/** Not needed for the first screen. */
const ProofDialog = lazy(async () => ({
  default: (await import('./components/credentials/proof-dialog.tsx')).ProofDialog,
}));

interface AppProps {
  readonly transport: PanelTransport;
  readonly queries: QueryClient;
}

export function App({ transport, queries }: AppProps) {
  return (
    <PanelProvider transport={transport} queries={queries}>
      <Appearance>
        <Translated>
          <Root />
          <Suspense fallback={null}>
            <ProofDialog />
          </Suspense>
          <Toasts />
        </Translated>
      </Appearance>
    </PanelProvider>
  );
}

/** The theme and the density of rows. */
export function Appearance({ children }: { readonly children: ReactNode }) {
  const scheme = useScheme();
  const density = useView((view) => view.density);
  useEffect(followOtherWindows, []);
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

/**
 * Loads the language chosen here, else the panel's, else the browser's: while no panel answers, and until the set-up, which gives the
 * panel its language. Shows nothing before its texts are there.
 */
export function Translated({ children }: { readonly children: ReactNode }) {
  const chosen = useView((view) => view.locale);
  const { data, isPending } = useOperation('panelState', {});
  const [current, setCurrent] = useState<Language | null>(null);
  // What the browser has stored may be of another version of the panel.
  const wanted = isLanguage(chosen)
    ? chosen
    : data?.set_up
      ? data.language
      : isPending
        ? null
        : chooseLanguage(navigator.languages);
  useEffect(() => {
    if (wanted === null || wanted === current) return;
    let isWanted = true;
    void (current === null ? startI18n(wanted) : switchLanguage(wanted)).then(() => {
      if (isWanted) setCurrent(wanted);
    });
    return () => {
      isWanted = false;
    };
  }, [wanted, current]);
  return current === null ? null : <MantineTexts>{children}</MantineTexts>;
}

/** The texts of Mantine's own controls. */
function MantineTexts({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation('common');
  // Mantine leaves it out of the order of Tab.
  const toggle = { 'aria-label': t('showPassword'), tabIndex: 0 };
  const components = { PasswordInput: { defaultProps: { visibilityToggleButtonProps: toggle } } };
  return <MantineThemeProvider theme={{ components }}>{children}</MantineThemeProvider>;
}
