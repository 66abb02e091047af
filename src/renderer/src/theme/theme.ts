// Mantine's theme with the panel's own palette: components take their colours from tokens.css.
import { type CSSVariablesResolver, createTheme, type MantineColorsTuple, Menu } from '@mantine/core';

const indigo: MantineColorsTuple = [
  '#eeeffd',
  '#e0e2fc',
  '#c6c9f9',
  '#a3a6f7',
  '#8b8ef2',
  '#6a6de4',
  '#5457d6',
  '#4548c4',
  '#373a9e',
  '#2a2c78',
];
const red: MantineColorsTuple = [
  '#fdecec',
  '#fbdcdc',
  '#f7b9ba',
  '#ff9092',
  '#f07a7d',
  '#ea5a5d',
  '#c9292e',
  '#b3222a',
  '#a81b21',
  '#7d1217',
];

export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 6, dark: 6 },
  autoContrast: true,
  luminanceThreshold: 0.4,
  white: '#ffffff',
  black: '#17181c',
  colors: { indigo, red },
  defaultRadius: 'sm',
  radius: { xs: '4px', sm: '6px', md: '8px', lg: '12px', xl: '16px' },
  spacing: { xs: '4px', sm: '8px', md: '12px', lg: '16px', xl: '24px' },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace',
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  lineHeights: { xs: '1.35', sm: '1.4', md: '1.45', lg: '1.5', xl: '1.4' },
  headings: { fontWeight: '600' },
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
  components: {
    // The focus goes to the first item; Mantine's placeholder element is not allowed inside a menu.
    Menu: Menu.extend({ defaultProps: { withInitialFocusPlaceholder: false } }),
    // By name, so that components of other screens are not loaded with the first one.
    SegmentedControl: { defaultProps: { withItemsBorders: false } },
    Switch: { defaultProps: { withThumbIndicator: false } },
  },
});

/** Surfaces, text and states of both themes; every pair has a measured contrast of at least 4.5:1. */
export const cssVariablesResolver: CSSVariablesResolver = () => {
  const shared = {
    '--mantine-color-text': 'var(--g-ink)',
    '--mantine-color-bright': 'var(--g-ink)',
    '--mantine-color-body': 'var(--g-surface)',
    '--mantine-color-dimmed': 'var(--g-ink-3)',
    '--mantine-color-placeholder': 'var(--g-ink-3)',
    '--mantine-color-error': 'var(--g-bad-ink)',
    '--mantine-color-success': 'var(--g-ok-ink)',
    '--mantine-color-anchor': 'var(--g-accent-ink)',
    '--mantine-color-default': 'var(--g-surface)',
    '--mantine-color-default-hover': 'var(--g-hover)',
    '--mantine-color-default-color': 'var(--g-ink)',
    '--mantine-color-default-border': 'var(--g-line-strong)',
    '--mantine-color-disabled': 'var(--g-sunken)',
    '--mantine-color-disabled-color': 'var(--g-ink-3)',
    '--mantine-color-disabled-border': 'var(--g-line)',
    '--mantine-color-indigo-text': 'var(--g-accent-ink)',
    '--mantine-color-indigo-light': 'var(--g-accent-soft)',
    '--mantine-color-indigo-light-color': 'var(--g-accent-ink)',
    '--mantine-color-red-text': 'var(--g-bad-ink)',
    '--mantine-color-red-light': 'var(--g-bad-soft)',
    '--mantine-color-red-light-color': 'var(--g-bad-ink)',
    '--mantine-color-gray-light': 'var(--g-sunken)',
    '--mantine-color-gray-light-hover': 'var(--g-line)',
    '--mantine-color-gray-light-color': 'var(--g-ink-2)',
    '--mantine-color-gray-text': 'var(--g-ink-2)',
  };
  return { variables: {}, light: shared, dark: shared };
};

// The server's nonce for styles that are created at run time.

export function styleNonce(): string {
  return document.getElementById('style-nonce')?.nonce ?? '';
}
