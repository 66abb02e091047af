// The application behind a User-Agent, as short as it can be shown.
import type { ClientCore } from './nodes/compatibility.ts';

/** The name with its version, as in `Happ/3.1`; null where it names none. */
export function clientApp(userAgent: string | undefined): string | null {
  const [, name] = /^([A-Za-z][\w.+-]{0,39}(?:\/[\w.+-]{1,20})?)/.exec(userAgent ?? '') ?? [];
  return name ?? null;
}

/** The first that matches decides. */
const CORES: readonly (readonly [pattern: RegExp, core: ClientCore])[] = [
  [/^(happ|v2raytun|incy|streisand|v2box|foxray|v2rayng|v2rayn|xray)\b/i, 'xray'],
  [/^(hiddify|nekobox|nekoray|throne|husi|karing|sf[aimt]\b|sing-?box)/i, 'sing-box'],
  [/clash|mihomo|^(sparkle|prizrak|flowvy|murge|rabbithole)/i, 'mihomo'],
];

/** What an application is built on, by its name; null: a program of its own, or not known. */
export function findClientCore(app: string | null): ClientCore | null {
  return app === null ? null : (CORES.find(([pattern]) => pattern.test(app))?.[1] ?? null);
}
