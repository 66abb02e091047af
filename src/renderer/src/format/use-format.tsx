// The format of the whole page, created once and shared by all components.
import { createContext, type ReactNode, use, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocale } from '../i18n/use-locale.ts';
import { useView } from '../state/view.ts';
import { createFormat, type Format } from './format.ts';
import { useRunningClock } from './use-now.ts';

const FormatContext = createContext<Format | null>(null);

/** `timeZone`: the panel's, an IANA name. */
export function FormatProvider({ timeZone, children }: { readonly timeZone: string; readonly children: ReactNode }) {
  useRunningClock();
  const { t } = useTranslation('common');
  const locale = useLocale();
  const units = useView((view) => view.units);
  const format = useMemo(() => createFormat(t, locale, units, timeZone), [t, locale, units, timeZone]);
  return <FormatContext value={format}>{children}</FormatContext>;
}

export function useFormat(): Format {
  const format = use(FormatContext);
  if (format === null) throw new Error('useFormat() outside of FormatProvider');
  return format;
}
