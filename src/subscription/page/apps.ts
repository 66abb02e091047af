// The apps of the subscription page: their links, and detection of a browser's system.
import type { OfferedApp, System } from '../../contract/subscription/apps.ts';
import { percent, toBase64Url } from '../encoding.ts';
import { encryptForHapp } from './happ-link.ts';

/** Names of systems, the same in every language. */
export const SYSTEM_NAMES: Readonly<Record<System, string>> = {
  ios: 'iPhone, iPad',
  android: 'Android',
  windows: 'Windows',
  macos: 'macOS',
  linux: 'Linux',
  tv: 'Android TV',
};

/** The address that opens the app and gives it the subscription. */
export function buildAppLink(
  { link, format }: Pick<OfferedApp, 'link' | 'format'>,
  url: string,
  title: string,
): string {
  const own = format === null ? url : `${url}?format=${format}`;
  const values: Readonly<Record<string, () => string | null>> = {
    '{url}': () => own,
    '{url_encoded}': () => percent(own),
    '{url_base64}': () => toBase64Url(own),
    '{url_happ}': () => encryptForHapp(own),
    '{name}': () => percent(title),
  };
  return link.replace(/\{(?:url(?:_encoded|_base64|_happ)?|name)\}/g, (place) => values[place]?.() ?? place);
}

/** The address to install it from; undefined: it is not offered on this system. */
export function findStore({ stores }: Pick<OfferedApp, 'stores'>, system: System): string | undefined {
  return stores.find((one) => one.system === system)?.url;
}

/** The system of a browser. An iPad that identifies as a Mac is treated as one. */
export function detectSystem(userAgent: string | undefined): System {
  const agent = userAgent ?? '';
  if (/iPhone|iPad|iPod/.test(agent)) return 'ios';
  if (/Android/.test(agent)) return /\bTV\b|GoogleTV|BRAVIA|\bAFT[A-Z]|SHIELD|SMART-TV/i.test(agent) ? 'tv' : 'android';
  if (/Windows/.test(agent)) return 'windows';
  if (/Macintosh/.test(agent)) return 'macos';
  return /Linux|X11|CrOS/.test(agent) ? 'linux' : 'android';
}
