// Converts an app to the values of its form and back. Each system has a field for its store, empty if the app is not offered there.
import { type OfferedApp, offeredApp, SYSTEMS, type System } from '../../../../../contract/subscription/apps.ts';

export interface AppValues extends Record<string, unknown> {
  readonly name: string;
  /** Empty: another program. */
  readonly core: string;
  readonly link: string;
  /** Empty: chosen by the app's User-Agent. */
  readonly format: string;
  readonly stores: Readonly<Record<System, string>>;
}

const NO_STORES = Object.fromEntries(SYSTEMS.map((system) => [system, ''])) as Record<System, string>;
export const EMPTY_APP: AppValues = { name: '', core: '', link: '', format: '', stores: NO_STORES };

export function toAppValues({ name, core, link, format, stores }: OfferedApp): AppValues {
  const urls = Object.fromEntries(stores.map(({ system, url }) => [system, url]));
  return { name, core: core ?? '', link, format: format ?? '', stores: { ...NO_STORES, ...urls } };
}

export function buildApp({ name, core, link, format, stores }: AppValues): OfferedApp {
  return {
    name: name.trim(),
    core: core === '' ? null : (core as OfferedApp['core']),
    link: link.trim(),
    format: format === '' ? null : (format as OfferedApp['format']),
    stores: SYSTEMS.flatMap((system) => {
      const url = stores[system].trim();
      return url === '' ? [] : [{ system, url }];
    }),
  };
}

/** Fields of the form that the contract refuses. */
export function findWrongAppFields(values: AppValues): readonly ('name' | 'link' | `stores.${System}`)[] {
  const app = buildApp(values);
  const { error } = offeredApp.safeParse(app);
  const fields = (error?.issues ?? []).map(({ path: [field, index] }) => {
    const store = typeof index === 'number' ? app.stores[index] : undefined;
    return field === 'stores' ? (`stores.${store?.system ?? SYSTEMS[0]}` as const) : (field as 'name' | 'link');
  });
  return [...new Set(fields)];
}
