// The application behind a User-Agent, as short as it can be shown.

/** The name with its version, as in `Happ/3.1`; null where it names none. */
export function clientApp(userAgent: string | undefined): string | null {
  const [, name] = /^([A-Za-z][\w.+-]{0,39}(?:\/[\w.+-]{1,20})?)/.exec(userAgent ?? '') ?? [];
  return name ?? null;
}
