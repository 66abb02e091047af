// The client application that a User-Agent names, in short form.
import type { ClientCore } from './nodes/compatibility.ts';

/** Name and version, as in `Happ/3.1`; null if the header has no name. */
export function clientApp(userAgent: string | undefined): string | null {
  const [, name] = /^([A-Za-z][\w.+-]{0,39}(?:\/[\w.+-]{1,20})?)/.exec(userAgent ?? '') ?? [];
  return name ?? null;
}

/** The first matching pattern decides. */
const CORES: readonly (readonly [pattern: RegExp, core: ClientCore])[] = [
  [/^(happ|v2raytun|incy|streisand|v2box|foxray|v2rayng|v2rayn|xray)\b/i, 'xray'],
  [/^(hiddify|nekobox|nekoray|throne|husi|karing|sf[aimt]\b|sing-?box)/i, 'sing-box'],
  [/clash|mihomo|^(sparkle|prizrak|flowvy|murge|rabbithole)/i, 'mihomo'],
];

/** The proxy core that an application uses, by its name; null: its own core, or unknown. */
export function findClientCore(app: string | null): ClientCore | null {
  return app === null ? null : (CORES.find(([pattern]) => pattern.test(app))?.[1] ?? null);
}
