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

/** Lazy: the first screen does not need it. */
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

/** Applies theme and row density. */
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
 * Loads the language chosen in this browser, else the panel's, else the browser's (while no panel answers, and before the set-up, which
 * sets the panel's language). Shows nothing until its texts are loaded.
 */
export function Translated({ children }: { readonly children: ReactNode }) {
  const chosen = useView((view) => view.locale);
  const { data, isPending } = useOperation('panelState', {});
  const [current, setCurrent] = useState<Language | null>(null);
  // The stored value may come from another version of the panel.
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
  // By default Mantine excludes it from the Tab order.
  const toggle = { 'aria-label': t('showPassword'), tabIndex: 0 };
  const components = { PasswordInput: { defaultProps: { visibilityToggleButtonProps: toggle } } };
  return <MantineThemeProvider theme={{ components }}>{children}</MantineThemeProvider>;
}
